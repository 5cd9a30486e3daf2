import Dispatch
import Foundation
import PostgreSQLClient
import Synchronization

/// A connection that receives notifications.
///
/// No thread waits for them: the system reports input on the socket.
final class SaveListener: Sendable {
  private let listening: Listening

  /// Listens on a connection, which it closes at its end.
  ///
  /// - Parameters:
  ///   - connection: A connection that listens to the channel.
  ///   - report: Called on a queue of its own after notifications.
  init(_ connection: Connection, _ report: @escaping @Sendable () -> Void) {
    listening = Listening(connection, report)
    listening.begin()
  }

  deinit { listening.cancel() }

  /// Whether the connection is not lost.
  var isListening: Bool { !listening.isLost.load(ordering: .acquiring) }
}

// Unchecked: only the queue uses the connection and the source, after both were created.
private final class Listening: @unchecked Sendable {
  private let connection: Connection
  private let report: @Sendable () -> Void
  private let queue = DispatchQueue(label: "SaveListener")
  private var source: (any DispatchSourceRead)?
  let isLost = Atomic(false)

  init(_ connection: Connection, _ report: @escaping @Sendable () -> Void) {
    self.connection = connection
    self.report = report
  }

  func begin() {
    // A copy remains valid until the source has ended, even if the connection is closed before.
    // Programs that this one starts do not inherit it.
    let descriptor = connection.descriptor.map { fcntl($0, F_DUPFD_CLOEXEC, 0) } ?? -1
    guard descriptor >= 0 else { return isLost.store(true, ordering: .releasing) }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler { [self] in receive() }
    source.setCancelHandler { [self] in
      close(descriptor)
      connection.close()
      self.source = nil
    }
    self.source = source
    source.activate()
    // A notification that arrived with the response to LISTEN causes no event.
    queue.async { [self] in receive() }
  }

  func cancel() {
    isLost.store(true, ordering: .releasing)
    queue.async { [self] in source?.cancel() }
  }

  private func receive() {
    guard !isLost.load(ordering: .acquiring) else { return }
    do {
      if try connection.takeNotifications() { report() }
    } catch {
      isLost.store(true, ordering: .releasing)
      source?.cancel()
    }
  }
}
