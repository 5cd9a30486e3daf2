import Foundation

/// Notices the saves of a store by whomever: this process, another store of it, another process.
///
/// A store makes one where it can; see ``RecordStore/watch()``. It may be asked several times a second.
public protocol StoreWatch: Sendable {
  /// The numbers of the saves since the last call, nil where there were none.
  ///
  /// They are the versions that these saves gave to rows; see ``StoreChangesResult/version``.
  ///
  /// - Throws: What reading throws; the saves are told of by a later call then.
  /// - Complexity: To be O(1), and next to nothing where nothing happened.
  func newSaves() throws -> ClosedRange<Int64>?

  /// A file that changes when somebody saves, itself or a file beside it whose name has its name in
  /// it; nil where there is none.
  var file: URL? { get }
}
