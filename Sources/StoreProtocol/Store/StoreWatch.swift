import Foundation

/// Detects the saves of a store by any writer: this process, another store instance, or another
/// process.
///
/// A store provides it if possible; see ``RecordStore/watch()``. It may be called several times a
/// second.
public protocol StoreWatch: Sendable {
  /// Returns the numbers of the saves since the last call, or `nil` if there were none.
  ///
  /// They are the versions that these saves assigned to rows; see ``StoreChangesResult/version``.
  ///
  /// - Throws: The errors of reading; a later call then returns the saves.
  /// - Complexity: O(1), and nearly no time if nothing happened.
  func newSaves() throws -> ClosedRange<Int64>?

  /// The file to observe for saves, or `nil` if there is none.
  ///
  /// Each save changes this file, or a file beside it whose name contains its name.
  var file: URL? { get }

  /// Sets a closure that the store calls on any thread, until the watch is released, when there may
  /// be new saves.
  ///
  /// By default it is never called. A store need not report all saves.
  func onPossibleSave(_ report: @escaping @Sendable () -> Void)
}

extension StoreWatch {
  /// Ignores the closure.
  public func onPossibleSave(_ report: @escaping @Sendable () -> Void) {}
}
