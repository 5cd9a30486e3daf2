/// The options of a transaction.
package struct TransactionOptions: Sendable {
  package enum Isolation: String, Sendable {
    case readCommitted = "READ COMMITTED"
    case repeatableRead = "REPEATABLE READ"
    case serializable = "SERIALIZABLE"
  }

  package var isolation: Isolation
  package var isReadOnly: Bool
  /// The maximum time that the server waits for a lock.
  package var lockTimeout: Duration?
  /// A Boolean value that indicates whether the settings also take effect on the other nodes of a
  /// Citus cluster.
  package var propagatesSettings = false

  package init(
    _ isolation: Isolation,
    isReadOnly: Bool = false,
    lockTimeout: Duration? = nil
  ) {
    self.isolation = isolation
    self.isReadOnly = isReadOnly
    self.lockTimeout = lockTimeout
  }

  /// The statements that begin the transaction.
  ///
  /// Their settings end with it, as poolers require.
  var statements: [Statement] {
    let access = isReadOnly ? "READ ONLY" : "READ WRITE"
    var result = [Statement("BEGIN ISOLATION LEVEL \(isolation.rawValue) \(access)")]
    if propagatesSettings {
      result.append(Statement("SET LOCAL citus.propagate_set_commands = 'local'"))
    }
    if let lockTimeout { result.append(Self.setting(lockTimeout)) }
    return result
  }

  /// Returns the statement that sets the lock timeout of the transaction.
  fileprivate static func setting(_ lockTimeout: Duration) -> Statement {
    // Zero would mean no limit.
    let milliseconds = min(max(1, Deadline.milliseconds(lockTimeout)), Int64(Int32.max))
    return Statement("SET LOCAL lock_timeout = \(milliseconds)")
  }

  /// Returns the time to wait for a lock, of that in which the server must respond.
  ///
  /// A tenth is left for the response that the lock is not granted.
  package static func lockTimeout(within time: Duration) -> Duration { time * 9 / 10 }

  /// Returns whether so much less time is left for a lock that the server has to be told.
  ///
  /// Otherwise the transaction does with the usual time, which still leaves some for the response:
  /// each time is another statement in the server's statistics.
  package static func isShort(_ lockTimeout: Duration, of usual: Duration) -> Bool {
    lockTimeout < usual * 19 / 20
  }
}

extension Connection {
  /// Runs a function in a transaction, which is committed after it, or rolled back if it throws.
  ///
  /// - Throws: The function's errors, or those of ``commit(_:)``.
  package func transaction<Result>(
    _ options: TransactionOptions,
    _ body: () throws -> Result
  ) throws -> Result {
    try begin(options)
    do {
      let result = try body()
      try commit()
      return result
    } catch {
      rollback()
      throw error
    }
  }

  /// Begins a transaction together with the next statement, without a round trip of its own.
  ///
  /// - Throws: ``PostgreSQLError`` of kind `misuse` if a transaction is open.
  package func begin(_ options: TransactionOptions) throws(PostgreSQLError) {
    _ = try open()
    guard isIdle else { throw PostgreSQLError(.misuse, "A transaction is already open.") }
    opening = options.statements
    isReading = options.isReadOnly
  }

  /// Sets the lock timeout for the rest of the transaction together with the next statements, before
  /// the postponed ones.
  package func setLockTimeout(_ lockTimeout: Duration) {
    opening.append(TransactionOptions.setting(lockTimeout))
  }

  /// Commits the transaction in one round trip, after executing statements in it.
  ///
  /// - Parameters:
  ///   - statements: The statements.
  ///   - last: A statement that follows COMMIT in the same round trip; its errors are ignored.
  /// - Returns: The results of the statements.
  /// - Throws: ``PostgreSQLError`` of kind `outcomeUnknown` if it is not known whether the transaction
  ///   is committed, unless it only reads. After any other error it is not.
  @discardableResult
  package func commit(
    _ statements: [Statement] = [],
    followedBy last: Statement? = nil
  ) throws(PostgreSQLError) -> [QueryResult] {
    let postponed = takePostponed()
    let count = postponed.count
    let statements = postponed + statements
    if statements.isEmpty, !hasBegun {
      opening = []
      return []
    }
    let rest = [Statement("COMMIT")] + (last.map { [$0] } ?? [])
    let exchange = try self.exchange(statements + rest)
    if let error = exchange.error, exchange.results.count <= statements.count {
      let isOfCommit = exchange.results.count == statements.count
      let isKnown = exchange.isComplete && !error.leavesCommitUnknown(isOfCommit: isOfCommit)
      throw isKnown || isReading ? error : unknownOutcome(error)
    }
    guard exchange.results.dropFirst(statements.count).first?.command == "COMMIT" else {
      throw PostgreSQLError(.misuse, "The transaction had failed before COMMIT and is rolled back.")
    }
    return Array(exchange.results[count..<statements.count])
  }

  /// Ends a transaction that only reads in one round trip, after executing statements in it.
  ///
  /// - Parameters:
  ///   - statements: The statements.
  ///   - next: Statements that follow the transaction, which read what was committed meanwhile.
  /// - Returns: The results of all statements.
  /// - Throws: ``PostgreSQLError``.
  package func end(
    _ statements: [Statement] = [],
    followedBy next: [Statement]
  ) throws(PostgreSQLError) -> [QueryResult] {
    var results = try run(statements + [Statement("COMMIT")] + next)
    guard results.remove(at: statements.count).command == "COMMIT" else {
      throw PostgreSQLError(.misuse, "The transaction had failed before COMMIT and is rolled back.")
    }
    return results
  }

  private func unknownOutcome(_ error: PostgreSQLError) -> PostgreSQLError {
    close()
    return PostgreSQLError(
      .outcomeUnknown,
      "It is unknown whether the transaction is committed. \(error.message)",
      sqlState: error.sqlState
    )
  }

  /// Rolls back the transaction, or closes the connection if that fails.
  package func rollback() {
    opening = []
    _ = takePostponed()
    guard isOpen, hasBegun else { return }
    do {
      if let error = try exchange([Statement("ROLLBACK")]).error { throw error }
    } catch {
      close()
    }
  }
}

extension PostgreSQLError {
  /// Returns whether a transaction may be committed, although this is a response to one of the
  /// statements that were sent together with COMMIT.
  ///
  /// Poolers report a lost connection to the server in place of the responses to all statements.
  /// XX000 comes from Citus after the loss of a node, with some of such transactions committed.
  fileprivate func leavesCommitUnknown(isOfCommit: Bool) -> Bool {
    kind == .outcomeUnknown || kind == .connectionLost || (isOfCommit && sqlState == "XX000")
  }
}
