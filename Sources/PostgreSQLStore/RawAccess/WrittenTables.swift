import PostgreSQLClient
import StoreProtocol

/// The tables to which a transaction has written.
struct WrittenTables {
  /// The statement that counts the written and the deleted rows.
  ///
  /// The counts of the connection's earlier transactions may be among them.
  static let statement = Statement(
    #"""
    SELECT '"' || replace(schemaname::text, '"', '""') || '"."' || replace(relname::text, '"', '""') \#
    || '"', n_tup_ins + n_tup_upd + n_tup_del, n_tup_del FROM pg_stat_xact_user_tables \#
    WHERE n_tup_ins + n_tup_upd + n_tup_del > 0
    """#
  )

  private let map: StoreMap
  private var counts: [String: (rows: Int64, deletions: Int64)] = [:]

  init(_ result: QueryResult, _ map: StoreMap) throws {
    self.map = map
    for row in 0..<result.rowCount {
      guard let name = try result.string(row, 0), let rows = try result.integer(row, 1),
        let deletions = try result.integer(row, 2)
      else { continue }
      counts[name] = (rows, deletions)
    }
  }

  /// Returns the tables with greater counts than before.
  func subtracting(_ earlier: WrittenTables) -> WrittenTables {
    var written = self
    written.counts = counts.reduce(into: [:]) { counts, entry in
      let before = earlier.counts[entry.key] ?? (0, 0)
      guard entry.value.rows > before.rows else { return }
      counts[entry.key] = (
        entry.value.rows - before.rows, entry.value.deletions - before.deletions
      )
    }
    return written
  }

  /// The tables of objects, in the order of their names.
  var tables: [EntityTable] { map.sortedTables.filter { counts[name(of: $0)] != nil } }

  /// The names of all other tables.
  var foreign: Set<String> { Set(counts.keys).subtracting(map.sortedTables.map(name)) }

  /// Whether rows of a table were deleted.
  func deletes(from table: EntityTable) -> Bool { (counts[name(of: table)]?.deletions ?? 0) > 0 }

  private func name(of table: EntityTable) -> String {
    Statement(table.name).inSchema(map.space).sql
  }
}
