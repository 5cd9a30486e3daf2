import PostgreSQLClient
import SQLTranslation
import StoreProtocol

/// The changes of a program's statements, as those of a save.
///
/// The statements run in a subtransaction that is undone. The rows that it wrote name it, or a later one,
/// in the system column `xmin`, and the server counts the rows that a transaction has written in each table. So the
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

  /// Returns the changes of the rows that were written since a mark, and undoes them.
  private func changes(
    of written: WrittenTables,
    _ mark: String,
    _ keys: RawKeys
  ) throws -> StoreChanges? {
    let requests = written.tables.map { RowRequest($0, "WHERE \(isWritten(since: mark))") }
    // A spelling is that of the string before.
    try connection.run(
      requests.filter(\.table.hasStrings).map { $0.update(["_spelling = NULL"]) }
    )
    let dangling = try written.tables.flatMap { try danglingReferences(in: $0, since: mark) }
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
    let difference = RawDifference(
      before: before.flatMap(\.self),
      after: after.flatMap(\.self),
      deleted: deleted
    )
    try difference.check(dangling)
    return try difference.changes(keys, map)
  }

  /// Returns the condition that a row was written since a mark.
  ///
  /// Subtransactions of functions are later ones.
  private func isWritten(since mark: String, _ column: String = "xmin") -> SQLFragment {
    "age(\(column)) <= age(\(bind: .text(mark))::xid)"
  }

  /// Reads the rows that the statements wrote.
  private func recordsAfter(_ requests: [RowRequest]) throws -> [[DefaultSnapshot]] {
    do { return try reader.records(requests) } catch let error as DataStoreError
      where error == .storeDamaged
    {
      throw failure(.invalidValue, "the statements wrote invalid values: \(error.message)")
    }
  }

  private func keysNow(of table: EntityTable) throws -> Set<Int64> {
    let result = try connection.run(RowRequest(table, "").statement(selecting: "_key"))
    return try Set((0..<result.rowCount).compactMap { try result.integer($0, 0) })
  }

  /// Returns the references of written rows to rows that do not exist.
  private func danglingReferences(
    in table: EntityTable,
    since mark: String
  ) throws -> [RawDifference.DanglingReference] {
    try table.columns.flatMap { column in
      guard let targets = targets(of: column, in: table) else {
        return [] as [RawDifference.DanglingReference]
      }
      let rows: SQLFragment = """
        SELECT t._key, l.member FROM \(table.name) AS t \(targets) AND \(isWritten(since: mark, "t.xmin"))
        """
      let found = try connection.run(rows.statement)
      return try (0..<found.rowCount).compactMap { row in
        guard let key = try found.integer(row, 0), let target = try found.integer(row, 1) else {
          return nil
        }
        return .init(row: key, target: target, entity: table.root, property: column.property)
      }
    }
  }

  /// Joins the missing rows to which a column refers, or returns `nil` if it refers to none.
  ///
  /// The mere order of related objects is no reference.
  private func targets(of column: EntityTable.Column, in owner: EntityTable) -> SQLFragment? {
    let isOrder = map.schema.family(of: owner.root).contains {
      $0.property(named: column.property)?.isDerivedToMany == true
    }
    guard !isOrder, let destination = column.kind.destination,
      let table = map.tables[destination.root]
    else { return nil }
    let names = map.schema.family(of: destination.name).map { SQLText.literal($0.name) }
    let kind = table.isShared ? " AND d._entity IN (\(names.joined(separator: ", ")))" : ""
    let isList = if case .list = column.kind { true } else { false }
    return """
      CROSS JOIN LATERAL unnest(\(isList ? column.name : "ARRAY[\(column.name)]")) AS l(member) \
      WHERE l.member IS NOT NULL \
      AND NOT EXISTS (SELECT 1 FROM \(table.name) AS d WHERE d._key = l.member\(kind))
      """
  }

  private func failure(_ kind: DataStoreError, _ message: String) -> DataStoreError {
    DataStoreError(kind, message, file: configuration.name)
  }
}
