import PostgreSQLClient
import SQLTranslation
import StoreProtocol

/// The changes of a program's statements, as those of a save.
///
/// The statements run in a subtransaction that is undone. The rows that it wrote name it in the system
/// column `xmin`, and the server counts the rows that a transaction has written in each table. So the
/// rows before and after are known, and their differences are saved like the changes of a context: with
/// versions, spellings, unique values and the history.
struct RawSave {
  let map: StoreMap
  let connection: Connection
  let configuration: PostgreSQLStoreConfiguration

  private var reader: RecordReader { RecordReader(map: map, connection: connection) }

  /// Returns the statement by which tables need no schema until the end of the transaction.
  static func searchPath(_ space: String) -> Statement {
    Statement("SET LOCAL search_path = \(space), public")
  }

  /// Runs statements, and returns their result and changes, or `nil` if there are none.
  func changes<Result>(
    of body: (PostgreSQLConnection) throws -> Result
  ) throws -> (Result, StoreChanges?) {
    let start = try connection.run([
      // No other save comes in between.
      Statement("SELECT 1 FROM \(map.space)._meta FOR UPDATE"),
      Statement("SAVEPOINT program"),
      Self.searchPath(map.space),
      Statement(
        "UPDATE \(map.space)._meta SET next_key = next_key "
          + "RETURNING next_key, xmin::text, current_setting('track_counts')"
      ),
      WrittenTables.statement,
    ])
    guard let key = try start[3].integer(0, 0), let mark = try start[3].string(0, 1) else {
      throw DataStoreError.noCounters(configuration.name)
    }
    guard try start[3].string(0, 2) == "on" else {
      throw failure(
        .unsupportedFeature,
        "the server does not count written rows; set its parameter track_counts to on"
      )
    }
    let keys = RawKeys(first: key)
    let provided = PostgreSQLConnection(connection, configuration, keys)
    defer { provided.end() }
    let result = try body(provided)
    try provided.usable().deadline = .after(configuration.timeout)
    let written = try WrittenTables(connection.run(WrittenTables.statement), map)
      .subtracting(WrittenTables(start[4], map))
    if let name = written.foreign.min() {
      throw failure(
        .unsupportedFeature,
        "the statements wrote to \(name), which has no objects of the store; use another connection "
          + "for it"
      )
    }
    return (result, try changes(of: written, mark, keys))
  }

  /// Returns the changes of rows with a mark, and undoes them.
  private func changes(
    of written: WrittenTables,
    _ mark: String,
    _ keys: RawKeys
  ) throws -> StoreChanges? {
    let requests = written.tables.map {
      RowRequest($0, "WHERE xmin::text = \(bind: .text(mark))")
    }
    // A spelling is that of the string before.
    try connection.run(
      requests.filter(\.table.hasStrings).map { $0.update(["_spelling = NULL"]) }
    )
    try checkReferences(in: requests.map(\.table), mark)
    let after = try recordsAfter(requests)
    let remaining = try written.tables.map { table in
      written.deletes(from: table) ? try keysNow(of: table) : nil
    }
    try connection.run(
      ["ROLLBACK TO SAVEPOINT program", "RELEASE SAVEPOINT program"].map { Statement($0) }
    )
    let changed = zip(written.tables, after).map { table, records in
      RowRequest(table, isIn: records.compactMap(\.persistentIdentifier.integerKey))
    }
    let before = try reader.records(changed)
    let deleted = try zip(written.tables, remaining).flatMap { table, keys in
      guard let keys else { return [] as [PersistentIdentifier] }
      return try reader.identifiers(RowRequest(table, "")).filter {
        $0.integerKey.map { !keys.contains($0) } ?? false
      }
    }
    let difference = RawDifference(before: before.flatMap(\.self), after: after.flatMap(\.self))
    return try difference.changes(deleting: deleted, keys, map)
  }

  /// Reads the rows that the statements wrote.
  private func recordsAfter(_ requests: [RowRequest]) throws -> [[DefaultSnapshot]] {
    do { return try reader.records(requests) } catch let error as DataStoreError
      where error.code == .storeDamaged
    {
      throw failure(.invalidValue, "the statements wrote invalid values: \(error.message)")
    }
  }

  private func keysNow(of table: EntityTable) throws -> Set<Int64> {
    let result = try connection.run(RowRequest(table, "").statement(selecting: "_key"))
    return try Set((0..<result.rowCount).compactMap { try result.integer($0, 0) })
  }

  /// Throws if a row that the statements wrote refers to one that does not exist.
  private func checkReferences(in tables: [EntityTable], _ mark: String) throws {
    for table in tables {
      for column in table.columns {
        guard let isDangling = isDangling(column, of: table) else { continue }
        let rows: SQLFragment = """
          SELECT t._key FROM \(table.name) AS t WHERE t.xmin::text = \(bind: .text(mark)) \
          AND \(isDangling) LIMIT 1
          """
        let found = try connection.run(rows.statement)
        guard found.rowCount > 0, let key = try found.integer(0, 0) else { continue }
        throw failure(
          .invalidValue,
          "the statements leave a reference of the row \(key) to a row that does not exist",
          entity: table.root,
          property: column.property
        )
      }
    }
  }

  /// Returns the condition that a column of a row `t` refers to no existing row, or `nil`.
  ///
  /// There is none for an attribute, and for the mere order of related objects.
  private func isDangling(_ column: EntityTable.Column, of owner: EntityTable) -> SQLFragment? {
    let isOrder = map.schema.family(of: owner.root).contains {
      $0.property(named: column.property)?.isDerivedToMany == true
    }
    guard !isOrder, let destination = column.kind.destination,
      let table = map.tables[destination.root]
    else { return nil }
    let names = map.schema.family(of: destination.name).map { SQLText.literal($0.name) }
    let kind = table.isShared ? " AND d._entity IN (\(names.joined(separator: ", ")))" : ""
    func isMissing(_ key: String) -> String {
      "NOT EXISTS (SELECT 1 FROM \(table.name) AS d WHERE d._key = \(key)\(kind))"
    }
    if case .list = column.kind {
      return """
        EXISTS (SELECT 1 FROM unnest(t.\(column.name)) AS l(member) \
        WHERE \(isMissing("l.member")))
        """
    }
    return "t.\(column.name) IS NOT NULL AND \(isMissing("t.\(column.name)"))"
  }

  private func failure(
    _ code: DataStoreError.Code,
    _ message: String,
    entity: String? = nil,
    property: String? = nil
  ) -> DataStoreError {
    DataStoreError(code, message, entity: entity, property: property, file: configuration.name)
  }
}
