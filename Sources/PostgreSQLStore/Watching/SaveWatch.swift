import Foundation
import PostgreSQLClient
import StoreProtocol
import Synchronization

/// Detects saves by reading the number of the last one.
///
/// If the server has notifications, it also reports at once that there may be a new one.
final class SaveWatch: StoreWatch {
  private struct State {
    var last: Int64
    var report: (@Sendable () -> Void)?
    var listener: SaveListener?
    var nextAttempt = ContinuousClock.now
  }

  /// The minimum time between attempts to listen again after the connection was lost.
  private static let pause = Duration.seconds(10)

  private let session: Session
  private let statement: Statement
  private let notifications: SaveNotifications?
  private let state: Mutex<State>

  init(_ session: Session, _ space: String, _ notifications: SaveNotifications?) throws {
    let statement = Statement("SELECT last_save FROM \(space)._meta", isPrepared: true)
    self.session = session
    self.statement = statement
    self.notifications = notifications
    state = Mutex(State(last: try Self.number(session, statement)))
  }

  var file: URL? { nil }

  func newSaves() throws -> ClosedRange<Int64>? {
    let number = try Self.number(session, statement)
    listen()
    return state.withLock { state in
      guard number > state.last else { return nil }
      defer { state.last = number }
      return state.last + 1...number
    }
  }

  func onPossibleSave(_ report: @escaping @Sendable () -> Void) {
    state.withLock { $0.report = report }
    listen()
  }

  /// Whether a connection listens to notifications now.
  var isListening: Bool { state.withLock { $0.listener?.isListening ?? false } }

  /// Begins to listen if it does not, after a pause since the last attempt.
  private func listen() {
    guard let notifications else { return }
    let report = state.withLock { state -> (@Sendable () -> Void)? in
      guard state.listener?.isListening != true, state.nextAttempt <= ContinuousClock.now else {
        return nil
      }
      if state.report != nil { state.nextAttempt = ContinuousClock.now + Self.pause }
      return state.report
    }
    guard let report else { return }
    // Without a listener, saves are detected by their numbers alone.
    let listener = try? session.listen(to: notifications.channel, report)
    state.withLock { $0.listener = listener }
  }

  private static func number(_ session: Session, _ statement: Statement) throws -> Int64 {
    try session.read([statement]).first?.value(0, 0, as: Int64.self) ?? 0
  }
}
