import Foundation
import StoreFiles

/// What a failure has left open about the files of a store.
struct StoreDoubt: Sendable {
  /// How many saves that were in doubt are remembered.
  static let mostRemembered = 64

  /// The save that may be in the journal; nil where the files hold the same either way.
  let save: UUID?
  /// The failure.
  let cause: FileError
}
