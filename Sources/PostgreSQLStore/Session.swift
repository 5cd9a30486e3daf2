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

  /// Runs a function whose reads, on its thread, are of one state of the store.
  ///
  /// The reads share a connection and a transaction, which begins with the first one. The function
  /// is not repeated after an error, because it may have had effects.
  func readingOneState(_ body: () throws -> Void) throws {
    guard held.current == nil else { return try body() }
    try translating(isSaving: false) {
      try pool.withConnection(deadline: .after(timeout)) { connection in
        connection.schema = space
        try connection.transaction(reading) {
          try held.hold(PassedConnection(connection), during: body)
          connection.deadline = .after(timeout)
        }
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
      if isAlone { return try body(connection) }
      return try connection.transaction(reading) {
        try body(connection)
      }
    }
  }

  /// Executes statements that read one state of the store, in one round trip.
  func read(_ statements: [Statement]) throws -> [QueryResult] {
    if let connection = heldConnection() {
      return try translating(isSaving: false) { try connection.run(statements) }
    }
    return try run(isSaving: false) { connection in
      guard statements.count > 1 else { return try connection.run(statements) }
      try connection.begin(reading)
      return try connection.commit(statements)
    }
  }

  /// Calls a function with the rows of a statement in portions, of one state of the store.
  ///
  /// The function is not repeated after an error, because it may have had effects.
  func forEachPortion(
    of statement: Statement,
    _ body: (QueryResult) throws -> Void
  ) throws {
    try translating(isSaving: false) {
      if let connection = heldConnection() { return try body(connection.run(statement)) }
      try pool.withConnection(deadline: .after(timeout)) { connection in
        connection.schema = space
        try connection.transaction(reading) {
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
  }

  /// Calls a function with the rows of a query by COPY, some at a time.
  ///
  /// The function is not repeated after an error, because it may have had effects.
  func copy(
    _ query: Statement,
    types: [UInt32],
    _ body: (QueryResult) throws -> Void
  ) throws {
    try translating(isSaving: false) {
      try pool.withConnection(deadline: .after(timeout)) { connection in
        connection.schema = space
        try connection.copy(query, types: types) { rows in
          try body(rows)
          connection.deadline = .after(timeout)
        }
      }
    }
  }

  /// Whether rows can be handed on while a connection is in use: reading another row meanwhile, as
  /// code of the program may, takes another connection.
  var canCopy: Bool { held.current == nil && pool.limit > 1 }

  /// Runs a function that changes the store, and commits its changes.
  ///
  /// The function is run again if its transaction conflicts with another one.
  @discardableResult
  func write<Result>(
    deadline: Deadline? = nil,
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    try run(isSaving: true, deadline) { connection in
      try connection.transaction(writing) {
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

  private func run<Result>(
    isSaving: Bool,
    _ deadline: Deadline? = nil,
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    let deadline = deadline ?? .after(timeout)
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
