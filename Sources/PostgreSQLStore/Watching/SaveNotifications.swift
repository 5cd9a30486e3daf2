import Dispatch
import Foundation
import PostgreSQLClient
import Synchronization

/// The notifications by which the handles of a store report their saves.
///
/// They are sent after COMMIT in the same round trip: in the transaction they would lock all other
/// notifying transactions of the server until it is on stable storage. A lost one costs nothing but
/// time, since watches also read the number of the last save.
final class SaveNotifications: Sendable {
  /// The quoted name of the channel.
  let channel: String
  private let last = Mutex<ContinuousClock.Instant?>(nil)
  /// The minimum time between two notifications of a handle.
  private static let pause = Duration.milliseconds(50)

  init(_ databaseSchema: String) throws {
    channel = try SQLName.quoted(SQLIdentifier.fitting("save~\(databaseSchema)"))
  }

  /// Returns the statement that follows a save, or `nil` if there was one just now.
  func statement() -> Statement? {
    let now = ContinuousClock.now
    let isDue = last.withLock { last in
      guard last.map({ $0 + Self.pause <= now }) ?? true else { return false }
      last = now
      return true
    }
    return isDue ? Statement("NOTIFY \(channel)") : nil
  }
}
