import StoreProtocol

/// Looks for damage in all that a store holds, on one state of it.
///
/// What is wrong in one place keeps no other place from being looked at.
struct Verification {
  let catalog: Catalog
  let connection: Connection
  /// The fingerprint of the schema that the store was opened with.
  let fingerprint: String
  let file: String?
  let found = ProblemList()

  /// Looks at everything.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` when the schema was changed since the store was
  ///   opened, and what reading throws.
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

  /// Has SQLite look at its pages, its indices and what it keeps unique.
  private func checkPages() throws {
    try connection.withStatement("PRAGMA integrity_check(100)") {
      while try $0.step() {
        guard let line = $0.text(at: 0), line != "ok" else { continue }
        found.note(StoreProblem("SQLite finds damage: \(line)", file: file))
      }
    }
  }

  /// Looks at the store's own table, and at what the file has beside the rows.
  ///
  /// - Returns: How far keys and saves have come.
  private func checkMetadata() throws -> Counters {
    let metadata = try Metadata(from: connection)
    let text = try Metadata.text(.schema, from: connection) ?? ""
    if metadata.fingerprint != Metadata.fingerprint(of: text) {
      found.note(StoreProblem("the fingerprint is not that of the schema", file: file))
    } else if metadata.fingerprint != fingerprint {
      throw DataStoreError(
        .schemaMismatch,
        "another process has changed the store's schema; open the store again",
        file: file
      )
    }
    try found.attempt(file: file) {
      try SchemaInspection(of: connection, map: SchemaMap(metadata.schema)).check()
    }
    return Counters(
      nextKey: try Metadata.integer(.nextKey, from: connection),
      saves: try? Metadata.saves(from: connection)
    )
  }
}

/// How far the keys and the saves of a store have come, nil where that is not known.
struct Counters {
  var nextKey: Int64?
  var saves: Int64?
}
