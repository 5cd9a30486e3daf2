import StoreProtocol

/// Searches the whole content of a store for damage, on one state of it.
///
/// Damage in one part does not keep other parts from being checked.
struct Verification {
  let catalog: Catalog
  let connection: Connection
  /// The fingerprint of the schema with which the store was opened.
  let fingerprint: String
  let file: String?
  let found = ProblemList()

  /// Checks the whole store, and returns the problems.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` if the schema was changed since the store was
  ///   opened, and errors of reading.
  func problems() throws -> [StoreProblem] {
    try found.attempt(file: file) { try checkPages() }
    var counters = Counters()
    try found.attempt(file: file) { counters = try checkMetadata() }
    for table in catalog.map.tables {
      let inspection = RowInspection(catalog: catalog, connection: connection, counters: counters)
      try found.attempt(file: file) { try inspection.inspect(table, into: found) }
      try found.attempt(file: file) { try checkReferences(of: table) }
      try found.attempt(file: file) { try checkUniqueValues(of: table) }
    }
    for join in catalog.map.joins {
      try found.attempt(file: file) { try checkMembers(of: join) }
    }
    try found.attempt(file: file) { try checkHistory(counters) }
    return found.problems
  }

  /// Calls a function with each row of a statement, until the list of problems is full.
  func forEachRow(_ sql: String, _ body: (Statement) throws -> Void) throws {
    try connection.withStatement(sql) {
      while !found.isFull, try $0.step() { try body($0) }
    }
  }

  /// Runs SQLite's check of its pages, its indexes and its unique values.
  private func checkPages() throws {
    try forEachRow("PRAGMA integrity_check(100)") {
      guard let line = $0.text(at: 0), line != "ok" else { return }
      // SQLite 3.44 cannot check full-text indexes without writing to the database.
      if line.hasSuffix("attempt to write a readonly database") { return }
      found.note(StoreProblem("SQLite finds damage: \(line)", file: file))
    }
  }

  /// Checks the store's own table, and the file's contents besides the rows.
  ///
  /// - Returns: The counters of keys and saves.
  private func checkMetadata() throws -> Counters {
    let metadata = try Metadata(from: connection)
    let text = try Metadata.text(.schema, from: connection) ?? ""
    if metadata.fingerprint != Metadata.fingerprint(of: text) {
      found.note(StoreProblem("the fingerprint does not match the schema", file: file))
    } else if metadata.fingerprint != fingerprint {
      throw SQLiteError(schemaVersion: metadata.schema.version)
    }
    try found.attempt(file: file) {
      try SchemaInspection(of: connection).check(metadata.map)
    }
    return Counters(
      nextKey: try Metadata.integer(.nextKey, from: connection),
      saves: try? HistoryTable.saves(on: connection)
    )
  }
}

/// The counters of keys and saves of a store, or `nil` if they are not known.
struct Counters {
  var nextKey: Int64?
  var saves: Int64?
}
