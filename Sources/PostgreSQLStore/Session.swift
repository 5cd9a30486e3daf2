import Foundation
import PostgreSQLClient
import StoreHelpers
import StoreProtocol

/// Runs a store's transactions on its server, and translates errors to those of a store.
struct Session: Sendable {
  private let pool: ConnectionPool
  /// The quoted name of the store's schema in the database.
  let space: String
  private let timeout: Duration
  private let location: String
  /// The options of a transaction that changes the store.
  private let writing: TransactionOptions
  private let held = HeldStates<PassedConnection>()
  private let requests = StoreRequests()
  /// The last save that was seen, which reads check, or `nil` if there is no open store.
  var position: StorePosition?
  /// Whether a check that is executed together with a statement reads the same state.
  ///
  /// If the statement waited for a migration, that is the state before it. The statement is then
  /// executed in a transaction, which the check follows.
  var repeatsReads = false
  /// The options of a transaction that reads one state of the store.
  private var reading: TransactionOptions {
    TransactionOptions(
      writing.isolation == .serializable ? .serializable : .repeatableRead,
      isReadOnly: true
    )
  }

  /// The maximum number of attempts for a transaction that conflicts with others.
  private static let attempts = 50
  /// The number of rows that a cursor reads at a time.
  private static let portion = 5000

  init(_ configuration: PostgreSQLStoreConfiguration) throws {
    self.init(
      .shared(configuration.connection),
      space: try SQLName.quoted(configuration.databaseSchema),
      timeout: configuration.timeout,
      location: configuration.name,
      writing: configuration.writing
    )
  }

  init(
    _ pool: ConnectionPool,
    space: String,
    timeout: Duration,
    location: String,
    writing: TransactionOptions = TransactionOptions(.readCommitted)
  ) {
    self.pool = pool
    self.space = space
    self.timeout = timeout
    self.location = location
    self.writing = writing
  }

  /// Refuses all later requests, and waits for those in progress on other threads.
  ///
  /// Those threads do not exist in a child of the process that opened the store.
  func close() {
    requests.close(waits: held.current == nil && (try? checkProcess()) != nil)
  }

  /// Runs a function whose reads, on its thread, are of one state of the store.
  ///
  /// The reads share a connection and a transaction, which begins with the first one. The function
  /// is not repeated after an error, because it may have had effects.
  func readingOneState(_ body: () throws -> Void) throws {
    guard held.current == nil else { return try body() }
    try withConnection { connection in
      try transaction(connection) {
        try held.hold(PassedConnection(connection), during: body)
        connection.deadline = .after(timeout)
      }
    }
  }

  /// Runs a function that reads one state of the store.
  ///
  /// - Parameters:
  ///   - isAlone: Whether the function executes one statement, which needs no transaction.
  ///   - body: The function.
  /// - Returns: The result of the function.
  /// - Throws: ``DataStoreError``, and the errors of the function.
  func read<Result>(
    isAlone: Bool = false,
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    if let connection = heldConnection() {
      return try translating(isSaving: false) { try body(connection) }
    }
    return try run(isSaving: false) { connection in
      guard isAlone, !repeatsReads else {
        return try transaction(connection) { try body(connection) }
      }
      guard let check = position?.check() else { return try body(connection) }
      let (result, found) = try connection.adding(check.statement) { try body(connection) }
      if let found { try check.finish(found) }
      return result
    }
  }

  /// Executes statements that read one state of the store, in one round trip.
  func read(_ statements: [Statement]) throws -> [QueryResult] {
    if let connection = heldConnection() {
      return try translating(isSaving: false) { try connection.run(statements) }
    }
    return try run(isSaving: false) { connection in
      let check = position?.check()
      let last = check.map { [$0.statement] } ?? []
      var results: [QueryResult]
      if statements.count > 1 || repeatsReads {
        try connection.begin(reading)
        results = try connection.end(statements, followedBy: last)
      } else {
        results = try connection.run(statements + last)
      }
      try check?.finish(&results)
      return results
    }
  }

  /// Reads at most one row, and checks the store.
  ///
  /// - Parameters:
  ///   - query: A query that is joined to a check (``StorePosition/joined(to:seen:)``); its second
  ///     parameter is that of the check.
  ///   - key: The first parameter.
  /// - Returns: The row.
  /// - Throws: ``DataStoreError``.
  func readRow(_ query: String, _ key: Parameter) throws -> QueryResult {
    let check = position?.check()
    let parameters = [key] + (check.map { [$0.parameter] } ?? [])
    let statement = Statement(query, parameters, isPrepared: true)
    if let connection = heldConnection() {
      return try translating(isSaving: false) { try connection.run(statement) }
    }
    if repeatsReads { return try read([statement])[0] }
    return try run(isSaving: false) { connection in
      let result = try connection.run(statement)
      try check?.finish(result)
      return result
    }
  }

  /// Executes statements of a transaction that changes the store, and checks that the store is the
  /// one that was opened.
  func run(_ statements: [Statement], on connection: Connection) throws -> [QueryResult] {
    let check = position?.check()
    var results = try connection.run(statements + (check.map { [$0.statement] } ?? []))
    try check?.finish(&results, isSaving: true)
    return results
  }

  /// Calls a function with the rows of a statement in portions, of one state of the store.
  ///
  /// The function is not repeated after an error, because it may have had effects.
  func forEachPortion(
    of statement: Statement,
    _ body: (QueryResult) throws -> Void
  ) throws {
    if let connection = heldConnection() {
      return try translating(isSaving: false) { try body(connection.run(statement)) }
    }
    try withConnection { connection in
      try transaction(connection) {
        let cursor = try Cursor(statement, on: connection, size: Self.portion)
        var count = Self.portion
        while count == Self.portion {
          connection.deadline = .after(timeout)
          let rows = try cursor.portion()
          count = rows.rowCount
          try body(rows)
        }
      }
    }
  }

  /// Calls a function with the rows of a query by COPY, some at a time.
  ///
  /// The function is not repeated after an error, because it may have had effects.
  func copy(_ query: CopyQuery, _ body: (QueryResult) throws -> Void) throws {
    try withConnection { connection in
      let check = position?.check()
      let found = try connection.copy(query, followedBy: check?.copied) { rows in
        try body(rows)
        connection.deadline = .after(timeout)
      }
      if let check, let found { try check.finish(found) }
    }
  }

  /// Whether rows can be handed on while a connection is in use: reading another row meanwhile, as
  /// code of the program may, takes another connection.
  var canCopy: Bool { held.current == nil && pool.limit > 1 && !repeatsReads }

  /// Runs a function that changes the store, and commits its changes.
  ///
  /// The function is run again if its transaction conflicts with another one.
  ///
  /// - Parameters:
  ///   - deadline: The time until which the server must respond, or `nil` for the timeout from now.
  ///   - lockTimeout: The maximum time that the server waits for a lock, if that is less than usual.
  ///   - body: The function.
  /// - Returns: The result of the function.
  /// - Throws: ``DataStoreError``, and the errors of the function.
  @discardableResult
  func write<Result>(
    deadline: Deadline? = nil,
    lockTimeout: Duration? = nil,
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    var options = writing
    if let usual = writing.lockTimeout, let lockTimeout,
      TransactionOptions.isShort(lockTimeout, of: usual)
    {
      options.lockTimeout = lockTimeout
    }
    return try run(isSaving: true, deadline) { connection in
      try connection.transaction(options) {
        try body(connection)
      }
    }
  }

  /// Runs a function that creates or changes tables.
  ///
  /// - Throws: ``DataStoreError/invalidConfiguration`` if the server is a worker of a Citus cluster.
  func defining<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as DataStoreError {
      guard let cause = error.cause as? PostgreSQLError, cause.isInternal else { throw error }
      throw DataStoreError(
        .invalidConfiguration,
        "\(location): \(cause). A worker of a Citus cluster cannot create or change tables; set "
          + "the URL's parameter ddlURL to the URL of the coordinator.",
        cause: cause
      )
    }
  }

  /// Opens a separate connection, for a transaction that is longer than one call.
  func connect() throws -> Connection {
    try translating(isSaving: true) {
      let connection = try Connection.open(pool.configuration, deadline: .after(timeout))
      connection.schema = space
      return connection
    }
  }

  /// Listens to notifications on a separate connection, or returns `nil` if it is one to a pooler.
  func listen(
    to channel: String,
    _ report: @escaping @Sendable () -> Void
  ) throws -> SaveListener? {
    try translating(isSaving: false) {
      // The caller can do without notifications.
      let deadline = Deadline.after(min(timeout, .seconds(5)))
      let connection = try Connection.open(pool.configuration, deadline: deadline)
      guard try connection.isDirect() else { return nil }
      try connection.run(Statement("LISTEN \(channel)"))
      return SaveListener(connection, report)
    }
  }

  /// Runs a function, and translates the errors of the client.
  func translating<Result>(isSaving: Bool, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as PostgreSQLError {
      throw error.storeError(at: location, isSaving: isSaving)
    }
  }

  /// The connection of ``readingOneState(_:)`` on this thread, with a new deadline.
  private func heldConnection() -> Connection? {
    guard let connection = held.current?.connection else { return nil }
    connection.deadline = .after(timeout)
    return connection
  }

  /// Runs a function that reads with a connection, and is not repeated after an error.
  private func withConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try requests.during(location) {
      try diagnosing {
        try translating(isSaving: false) {
          try pool.withConnection(deadline: .after(timeout)) { connection in
            connection.schema = space
            return try body(connection)
          }
        }
      }
    }
  }

  /// Runs a function in a transaction that reads one state of the store, and then checks the store.
  ///
  /// A transaction that waits for the lock of a migration reads the new tables in the state before
  /// them. The check therefore follows the transaction.
  private func transaction<Result>(
    _ connection: Connection,
    _ body: () throws -> Result
  ) throws -> Result {
    let check = position?.check()
    do {
      try connection.begin(reading)
      let result = try body()
      guard let check, connection.hasBegun else {
        try connection.commit()
        return result
      }
      var results = try connection.end(followedBy: [check.statement])
      try check.finish(&results)
      return result
    } catch {
      connection.rollback()
      throw error
    }
  }

  /// Runs a function, and replaces errors about unexpected tables of another store.
  ///
  /// The reason may be that the store is not the one that was opened.
  private func diagnosing<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as DataStoreError {
      let isUnexpected = (error.cause as? PostgreSQLError)?.sqlState?.hasPrefix("42") == true
      guard isUnexpected || error == .storeDamaged else { throw error }
      let check = position?.check()
      let result = try? pool.withConnection(deadline: .after(timeout)) { connection in
        connection.schema = space
        return try check.map { try connection.run($0.statement) }
      }
      if let check, let result { try check.finish(result) }
      throw error
    }
  }

  private func run<Result>(
    isSaving: Bool,
    _ deadline: Deadline? = nil,
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    try requests.during(location) {
      try diagnosing { try attempt(isSaving: isSaving, deadline ?? .after(timeout), body) }
    }
  }

  /// Throws `storeClosed` in a child of the process that opened the store.
  func checkProcess() throws {
    do {
      try pool.checkProcess()
    } catch let error as PostgreSQLError {
      throw error.storeError(at: location)
    }
  }

  private func attempt<Result>(
    isSaving: Bool,
    _ deadline: Deadline,
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    var attempt = 1
    while true {
      do {
        return try pool.withConnection(deadline: deadline) { connection in
          connection.schema = space
          return try body(connection)
        }
      } catch let error as PostgreSQLError {
        guard error.isRetryable, error.kind != .lockTimeout, attempt < Self.attempts,
          !deadline.isPassed
        else { throw error.storeError(at: location, isSaving: isSaving) }
        // Transactions that conflict with each other are not tried again at the same time.
        if attempt > 1 { usleep(.random(in: 0...UInt32(min(attempt, 20)) * 1_000)) }
        attempt += 1
      }
    }
  }
}
