import Foundation
import StoreFiles

/// The unresolved failure of a store's files.
struct UnresolvedFailure: Sendable {
  /// The maximum number of recorded indeterminate saves.
  static let mostRemembered = 64

  /// The save that may be in the journal, or `nil` if the files have the same content in either
  /// case.
  let save: UUID?
  let cause: FileError
}
