import Foundation
import StoreFiles

/// A commit whose frames may be in the log, although it failed.
struct CommitDoubt: Sendable {
  /// How many saves that were in doubt are remembered.
  static let mostRemembered = 64

  /// The save.
  let save: UUID
  /// Keeps all others from writing, and so from a recovery, as long as the doubt lasts.
  let lock: StoreLock
  /// The length of the log without those frames.
  var logSize = 0
}
