import Foundation
import StoreFiles

/// A failed commit whose frames may still be in the log.
struct IndeterminateCommit: Sendable {
  /// The maximum number of indeterminate saves that are remembered.
  static let mostRemembered = 64

  /// The identifier of the save.
  let save: UUID
  /// The lock that keeps all others from writing, and so from a recovery, until the outcome is
  /// settled.
  let lock: StoreLock
  /// The length of the log without those frames.
  var logSize = 0
}
