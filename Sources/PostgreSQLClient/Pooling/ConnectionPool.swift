import Foundation
import Synchronization

/// One thread at a time uses a connection.
///
/// Threads that find no idle one wait in the order of their arrival, until their deadlines.
package final class ConnectionPool: Sendable {
  /// The number of connections, and of threads that wait for one.
  package struct Counts: Equatable, Sendable {
    package var open: Int
    package var idle: Int
    package var waiting: Int
  }

  package let configuration: ConnectionConfiguration
  /// The maximum number of connections.
  package let limit: Int
  private let state = Mutex(State())
  private let process = getpid()

  /// Whether the calling process created the pool.
  ///
  /// A child of it inherits the pool, and the connections' sockets.
  var isOwn: Bool { process == getpid() }

  /// Creates a pool without connections; they are opened on demand.
  package init(_ configuration: ConnectionConfiguration, limit: Int = 16) {
    self.configuration = configuration
    self.limit = max(1, limit)
  }

  package var counts: Counts {
    state.withLock { Counts(open: $0.count, idle: $0.idle.count, waiting: $0.waiters.count) }
  }

  /// Throws an error of kind `inherited` in a child of the process that created the pool.
  package func checkProcess() throws {
    guard isOwn else { throw PostgreSQLError.inherited }
  }

  /// Runs a function with exclusive access to a connection.
  ///
  /// The connection returns to the pool, or is closed if a transaction is open or it is unusable.
  ///
  /// - Parameters:
  ///   - deadline: The time at which waiting for a connection, and for the server on it, ends.
  ///   - body: The function. It must not keep the connection.
  /// - Returns: The result of the function.
  /// - Throws: ``PostgreSQLError``, of kind `inherited` in a child of the process that created the
  ///   pool, or the function's errors.
  package func withConnection<Result>(
    deadline: Deadline,
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    try checkProcess()
    let connection = try acquire(deadline)
    connection.deadline = deadline
    do {
      let result = try body(connection)
      release(connection)
      return result
    } catch {
      let isLost = (error as? PostgreSQLError)?.kind == .connectionLost
      release(connection, closingIdle: isLost && !connection.isOpen)
      throw error
    }
  }

  // MARK: Lending

  private func acquire(_ deadline: Deadline) throws -> Connection {
    while true {
      switch try reserve(deadline) {
      case .connection(let parked):
        if parked.connection.isReusable() { return parked.connection }
        parked.connection.close()
        leave()
      case .permission:
        do throws(PostgreSQLError) {
          return try Connection.open(configuration, deadline: deadline)
        } catch {
          leave()
          throw error
        }
      }
    }
  }

  /// Returns an idle connection, or the permission to open one, after waiting for it if necessary.
  private func reserve(_ deadline: Deadline) throws(PostgreSQLError) -> Grant {
    let waiter = Waiter()
    let grant = state.withLock { state -> Grant? in
      if let parked = state.idle.popLast() { return .connection(parked) }
      if state.count < limit {
        state.count += 1
        return .permission
      }
      state.waiters.append(waiter)
      return nil
    }
    if let grant = grant ?? waiter.wait(deadline) { return grant }
    // A grant that arrived at the last moment is used.
    let isRemoved = state.withLock { state in
      guard let index = state.waiters.firstIndex(where: { $0 === waiter }) else { return false }
      state.waiters.remove(at: index)
      return true
    }
    if !isRemoved, let grant = waiter.wait(.after(.seconds(1))) { return grant }
    throw PostgreSQLError(
      .deadlineExceeded,
      "All \(limit) connections to \(configuration) were in use until the deadline. Raise the "
        + "limit of the pool, or use connections for a shorter time."
    )
  }

  private func release(_ connection: Connection, closingIdle: Bool = false) {
    if closingIdle { closeIdle() }
    guard connection.isAtRest, connection.reset() else {
      connection.close()
      return leave()
    }
    let parked = PassedConnection(connection)
    let waiter = state.withLock { state -> Waiter? in
      if !state.waiters.isEmpty { return state.waiters.removeFirst() }
      state.idle.append(parked)
      return nil
    }
    waiter?.receive(.connection(parked))
  }

  /// Releases the slot of a closed connection.
  private func leave() {
    let waiter = state.withLock { state -> Waiter? in
      guard !state.waiters.isEmpty else {
        state.count -= 1
        return nil
      }
      return state.waiters.removeFirst()
    }
    waiter?.receive(.permission)
  }

  /// Closes the idle connections.
  ///
  /// When a server restarts, it drops all of them.
  private func closeIdle() {
    let idle = state.withLock { state in
      defer {
        state.count -= state.idle.count
        state.idle = []
      }
      return state.idle
    }
    for parked in idle { parked.connection.close() }
  }
}

/// A connection that is passed from thread to thread.
// Unchecked: one thread at a time uses it. In a pool no thread does.
package struct PassedConnection: @unchecked Sendable {
  package let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }
}

private struct State {
  var idle: [PassedConnection] = []
  /// The connections that are open or being opened.
  var count = 0
  var waiters: [Waiter] = []
}

private enum Grant: Sendable {
  case connection(PassedConnection)
  case permission
}

/// A thread that waits for a connection.
private final class Waiter: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let grant = Mutex<Grant?>(nil)

  func receive(_ grant: Grant) {
    self.grant.withLock { $0 = grant }
    semaphore.signal()
  }

  func wait(_ deadline: Deadline) -> Grant? {
    let milliseconds = Int(deadline.milliseconds)
    guard semaphore.wait(timeout: .now() + .milliseconds(milliseconds)) == .success else {
      return nil
    }
    return grant.withLock { $0 }
  }
}
