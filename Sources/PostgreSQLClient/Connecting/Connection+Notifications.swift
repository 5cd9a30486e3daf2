import Foundation

extension Connection {
  /// Returns whether the connection is one with the server itself, and not with a pooler that shares
  /// the server's connections.
  ///
  /// - Throws: ``PostgreSQLError``.
  package func isDirect() throws(PostgreSQLError) -> Bool {
    let process = try run(Statement("SELECT pg_backend_pid()")).value(0, 0, as: Int32.self)
    return process == library.backendPID(try open())
  }

  /// The socket, which is readable when notifications have arrived.
  package var descriptor: Int32? {
    guard let handle, isOpen else { return nil }
    return library.socket(handle)
  }

  /// Reads the notifications that have arrived, without waiting.
  ///
  /// - Returns: Whether there were any.
  /// - Throws: ``PostgreSQLError`` of kind `connectionLost`.
  package func takeNotifications() throws(PostgreSQLError) -> Bool {
    let handle = try open()
    var areThere = false
    var descriptor = pollfd(fd: library.socket(handle), events: Int16(POLLIN), revents: 0)
    // The system reports the end of the connection once, together with the last input.
    repeat {
      guard library.consumeInput(handle) == 1 else { throw lost() }
      while let notification = library.notifies(handle) {
        library.freemem(notification)
        areThere = true
      }
    } while poll(&descriptor, 1, 0) > 0
    return areThere
  }
}
