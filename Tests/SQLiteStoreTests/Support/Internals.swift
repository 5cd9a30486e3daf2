import Foundation
import SQLTranslation
import StoreProtocol
import StoreTestSupport

@testable import SQLiteStore
@testable import StoreFiles

/// What several tests need to know or to do that the store's interface does not offer.
extension SQLiteStore {
  /// Runs a statement, past the rules for a program's own SQL.
  func execute(_ sql: String) throws {
    try database.write { try $0.execute(sql) }
  }

  /// The first value that a statement returns as an integer.
  func integer(_ sql: String) throws -> Int64? {
    try database.read { try $0.integer(sql) }
  }

  /// The first value that a statement returns as text.
  func text(_ sql: String) throws -> String? {
    try database.read { try $0.text(sql) }
  }

  /// The values in a column of a statement's rows as text.
  func texts(_ sql: String) throws -> [String] {
    try database.read { connection in
      try connection.withStatement(sql) {
        var texts: [String] = []
        while try $0.step() { texts.append($0.text(at: 0) ?? "") }
        return texts
      }
    }
  }

  /// Runs code while a transaction that writes is open.
  func whileWriting<Result>(_ body: () throws -> Result) throws -> Result {
    try database.write { _ in try body() }
  }

  /// Copies the log into the database file as the store does itself between saves.
  ///
  /// - Returns: Whether the whole log was copied.
  func checkpoint() -> Bool {
    guard let file = database.file else { return false }
    return database.writer.withSlot { database.checkpoint($0, file) }
  }

  /// Copies the log into the database file and keeps the log's length.
  func checkpointKeepingLog() -> Bool {
    database.writer.withConnection { $0.checkpoint(keepsLength: true) }
  }

  /// The value of `PRAGMA synchronous` of the connection that saves.
  func synchronousOfWriter() throws -> Int64? {
    try database.writer.withConnection { try $0.integer("PRAGMA synchronous") }
  }

  /// The number of the last transaction that the index of the log names.
  var transactionOfLog: UInt32? {
    database.writer.withConnection { $0.logIndex?.transaction }
  }

  /// The connection that reads, whose end tests observe.
  func readingConnection() throws -> AnyObject {
    try database.read { $0 }
  }

  /// The format of the file.
  func format() throws -> Int64 {
    try database.read(Metadata.format)
  }

  /// The format of new files.
  static var currentFormat: Int64 { FileFormat.current }

  /// The numbers of keys in the caches of rows whose texts SQL cannot compare, an index each.
  func cachedInexactKeys() throws -> [Int] {
    try database.write { $0.inexactRows.indexes.map(\.value.keys.count) }
  }

  /// A new name for a file with a value of this store.
  func newValueFileName(of store: String? = nil) -> String {
    ValueFileNaming(store: store ?? identifier).newName()
  }

  /// The names of the indexes of a schema's tables.
  static func indexNames(_ schema: StoreSchema) throws -> [String] {
    try SchemaMap(schema).indexes().map(\.name)
  }

  /// The statement that finds the rows with the values of an entity's first constraint.
  static func lookup(_ schema: StoreSchema, _ entity: String) throws -> String? {
    let map = try SchemaMap(schema)
    return try map.table(named: entity).flatMap { try map.constraints(of: $0).first?.lookup }
  }

  /// The most problems that a verification lists.
  static var mostProblems: Int { ProblemList.longest }

  /// Runs statements on a connection of their own, without foreign keys.
  static func harm(_ path: String, _ statements: [String]) throws {
    let connection = try Connection(ConnectionOptions(location: .file(path)))
    try connection.execute("PRAGMA foreign_keys = OFF")
    for sql in statements { try connection.execute(sql) }
  }
}

/// A query as SQL, and the steps of SQLite for it.
struct PlannedQuery {
  let sql: String
  let steps: String
  /// Whether SQL evaluates the query alone.
  let isNative: Bool
}

extension SQLiteStore {
  /// Translates a query without running it.
  func plan(_ query: StoreQuery) throws -> PlannedQuery {
    try database.read { connection in
      let plan = try QueryPlan(query, catalog: catalog, connection: connection)
      let sql = plan.selection(SQLFragment(plan.rows.selection), isWindowed: plan.isNative)
      let steps = try connection.withStatement("EXPLAIN QUERY PLAN " + sql.text) {
        try $0.bind(sql.parameters)
        var steps: [String] = []
        while try $0.step() { steps.append($0.text(at: 3) ?? "") }
        return steps.joined(separator: "; ")
      }
      return PlannedQuery(sql: sql.text, steps: steps, isNative: plan.isNative)
    }
  }

  /// The keys of the rows that the index of a column gives for a search, or for its opposite.
  func indexed(
    _ search: TextSearch,
    _ entity: String,
    _ property: String,
    isOpposite: Bool = false
  ) throws -> [Int64]? {
    let map = try catalog.map.entity(named: entity)
    return try database.read { connection in
      let conditions = ConditionTranslator(map: map, catalog: catalog, connection: connection)
      let found = try conditions.indexedSearch(
        .property(.element(0), property),
        search,
        isOpposite ? .fails : .holds
      )
      guard let found else { return nil }
      let sql = "SELECT \(map.table.key) FROM \(map.table.sql) WHERE \(found.text) ORDER BY 1"
      return try connection.withStatement(sql) {
        try $0.bind(found.parameters)
        var keys: [Int64] = []
        while try $0.step() { keys.append($0.integer(at: 0)) }
        return keys
      }
    }
  }
}

extension SQLiteStore: GroupedStore {
  /// The number of saves that wait for another one.
  package var waitingSaves: Int { database.group.waitingCount }

  /// Runs code while all saves wait for it, without a lock of the store's files.
  package func betweenSaves<Result>(_ body: () throws -> Result) rethrows -> Result {
    try database.group.alone(body)
  }
}
