import Foundation

/// The writing connection and the lock that it is used under.
///
/// Unchecked: the connection is only touched between `lock` and `unlock`. The lock is recursive,
/// since the body of a read in memory may read again.
final class WriterSlot: @unchecked Sendable {
  private let lock = NSRecursiveLock()
  private(set) var connection: Connection
  /// The commit that failed and was not taken back yet.
  var doubt: CommitDoubt?
  /// The last saves that were in doubt and turned out not to be stored.
  private(set) var refused: [UUID] = []
  /// How long the log is to be before it is tried again to fold it behind a failure.
  var logPagesToWaitFor = 0
  private let options: ConnectionOptions

  init(_ connection: Connection) {
    self.connection = connection
    self.options = connection.options
  }

  func withConnection<Result>(_ body: (Connection) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(connection)
  }

  /// Keeps every other writer of this process out.
  func withSlot<Result>(_ body: (WriterSlot) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(self)
  }

  /// The connection, or a new one where the last failure has spoiled it.
  func usableConnection() throws -> Connection {
    connection.isSpoiled ? try reopenedConnection() : connection
  }

  /// A new connection in the place of the old one, which is closed.
  ///
  /// A failed open leaves the old one in place, closed: the next save tries again.
  private func reopenedConnection() throws -> Connection {
    closeSpoiled()
    let fresh = try Connection(options)
    try fresh.enterWAL()
    fresh.distrustsLog = true
    connection = fresh
    return connection
  }

  /// Closes the connection, in whose place the next use opens another.
  func closeSpoiled() {
    connection.spoil()
    connection.close()
  }

  /// Ends a doubt, whose save is not stored.
  func endDoubt() {
    guard let doubt else { return }
    self.doubt = nil
    refused = refused.suffix(CommitDoubt.mostRemembered - 1) + [doubt.save]
  }

  func close() {
    withConnection { $0.close() }
  }
}
