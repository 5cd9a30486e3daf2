import Foundation

/// No request waits beyond ``deadline``.
///
/// A connection whose deadline passed, or whose response violates the protocol, is closed and its
/// statement canceled.
package final class Connection {
  let library: LibPQ
  // One thread at a time uses a connection, in accesses that never overlap.
  @exclusivity(unchecked) private(set) var handle: OpaquePointer?
  @exclusivity(unchecked) var prepared: PreparedStatements
  /// The statements that begin a transaction, sent together with the next ones.
  @exclusivity(unchecked) var opening: [Statement] = []
  /// The statements that are sent together with the next ones.
  @exclusivity(unchecked) private(set) var postponed: [Statement] = []
  /// Whether the last transaction that was begun only reads.
  @exclusivity(unchecked) var isReading = false
  /// Whether statements of a program ran, whose functions may have changed settings or taken locks.
  @exclusivity(unchecked) package var ranProgram = false
  /// The process that opened the connection.
  ///
  /// A child of it inherits the socket, but must not use it.
  private let process = getpid()

  /// The statement that the next request also executes, after its own.
  @exclusivity(unchecked) var added: Statement?
  /// The result of the statement that was added to a request.
  @exclusivity(unchecked) var addedResult: QueryResult?

  /// The quoted name of the schema in the places of ``Statement/schema``, or `nil` for none.
  @exclusivity(unchecked) package var schema: String?
  /// The time until which requests wait for the server.
  @exclusivity(unchecked) package var deadline: Deadline
  /// The number of times that a request waited for the server.
  package internal(set) var roundTrips = 0
  /// The time that requests, except for those of COPY, have taken.
  package internal(set) var waitingTime: Duration = .zero

  init(
    library: LibPQ,
    handle: OpaquePointer,
    deadline: Deadline,
    preparesStatements: Bool
  ) {
    self.library = library
    self.handle = handle
    self.deadline = deadline
    prepared = PreparedStatements(capacity: 256, isEnabled: preparesStatements)
  }

  deinit { close() }

  /// A Boolean value that indicates whether requests can be made.
  package var isOpen: Bool {
    isOwn && handle.map { library.status($0) == LibPQConstant.connectionOK } ?? false
  }

  /// Whether the calling process opened the connection.
  private var isOwn: Bool { process == getpid() }

  /// A Boolean value that indicates whether no transaction is open.
  package var isIdle: Bool { opening.isEmpty && !hasBegun }

  /// A Boolean value that indicates whether the server has begun a transaction.
  package var hasBegun: Bool {
    handle.map { library.transactionStatus($0) != LibPQConstant.transactionIdle } ?? false
  }

  /// Executes statements of the transaction together with the next request, or with its commit.
  package func postpone(_ statements: [Statement]) { postponed += statements.map { $0.observed() } }

  /// The number of bytes in the parameters of postponed statements.
  package var postponedByteCount: Int { postponed.reduce(0) { $0 + $1.byteCount } }

  /// Returns the postponed statements, which are no longer postponed.
  func takePostponed() -> [Statement] {
    defer { postponed = [] }
    return postponed
  }

  /// Closes the connection.
  ///
  /// The server rolls back an open transaction. In a child of the process that opened the
  /// connection, nothing is sent: the parent process continues to use it.
  package func close() {
    guard let handle else { return }
    self.handle = nil
    guard isOwn else {
      _ = Foundation.close(library.socket(handle))
      return
    }
    library.finish(handle)
  }

  /// Returns the handle of an open connection.
  func open() throws(PostgreSQLError) -> OpaquePointer {
    guard isOwn else { throw .inherited }
    guard let handle, isOpen else {
      throw PostgreSQLError(.connectionLost, "The connection to the PostgreSQL server is closed.")
    }
    return handle
  }

  /// Whether the connection is in a state in which others may use it.
  var isAtRest: Bool { isOpen && isIdle }

  /// Returns whether the connection can be used again, without a request to the server.
  ///
  /// Unexpected input is the end of the connection, or a change of a setting. A new connection is
  /// no loss then.
  func isReusable() -> Bool {
    guard let handle, isAtRest else { return false }
    var descriptor = pollfd(fd: library.socket(handle), events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, 0) == 0
  }

  /// Waits until the server's socket is ready, and sends the data that libpq has buffered.
  ///
  /// - Parameter reads: Whether to wait for input and not only until data can be sent.
  /// - Throws: ``PostgreSQLError`` if the connection is lost, or at the deadline.
  func wait(reads: Bool = true) throws(PostgreSQLError) {
    let handle = try open()
    let unsent = library.flush(handle)
    guard unsent >= 0 else { throw lost() }
    guard reads || unsent == 1 else { return }
    // Input is also read while sending: a server whose output is not read stops reading.
    let events = Int16(POLLIN) | (unsent == 1 ? Int16(POLLOUT) : 0)
    try waitForSocket(events)
    guard library.consumeInput(handle) == 1 else { throw lost() }
  }

  /// Waits for events of the socket, until the deadline.
  func waitForSocket(_ events: Int16) throws(PostgreSQLError) {
    let descriptor = handle.map { library.socket($0) } ?? -1
    var awaited = pollfd(fd: descriptor, events: events, revents: 0)
    while true {
      let count = poll(&awaited, 1, deadline.milliseconds)
      if count > 0 { return }
      if count == 0, deadline.isPassed {
        abandon()
        throw PostgreSQLError(
          .deadlineExceeded,
          "The PostgreSQL server did not answer in time; the connection is closed."
        )
      }
      if count < 0, errno != EINTR { throw lost() }
    }
  }

  /// Closes the connection and requests that the server cancel its statement.
  func abandon() {
    guard let handle else { return }
    if library.status(handle) == LibPQConstant.connectionOK {
      CancelRequests.send(handle, library)
    }
    close()
  }

  /// Closes the connection and returns the error of its loss.
  func lost() -> PostgreSQLError {
    let reason = libraryMessage
    close()
    return PostgreSQLError(
      .connectionLost,
      "The connection to the PostgreSQL server is lost: \(reason)"
    )
  }

  /// Closes the connection and returns the error of a response that the protocol does not allow.
  func invalidResponse(_ what: String) -> PostgreSQLError {
    close()
    return PostgreSQLError(.invalidResponse, "The PostgreSQL server \(what).")
  }

  /// The first line of libpq's own message.
  var libraryMessage: String {
    guard let handle, let text = library.errorMessage(handle) else { return "it is closed" }
    return String(cString: text).split(separator: "\n").first.map { String($0) }
      ?? "no reason given"
  }
}
