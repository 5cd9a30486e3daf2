import Foundation
import PostgreSQLClient
import StoreProtocol

/// A store of a database, as it was when the stores were listed.
public struct PostgreSQLStoreSummary: Hashable, Sendable {
  /// The name: the schema of the database that holds the store.
  public let name: String
  /// The identifier of the store, which persistent identifiers contain.
  public let identifier: String
  /// The version of the store's models, such as `1.0.0`.
  public let schemaVersion: String
  /// The number of the last save, or 0 if there is none.
  public let saves: Int64
  /// The date of the last save of the history, or `nil` if the history is empty.
  public let lastSave: Date?
  /// The number of bytes of the store's tables and indexes.
  public let bytes: Int64
  /// The host and port of the node of a Citus cluster that has the store, or `nil` if the database
  /// is not distributed.
  public let node: String?
  /// The number of changes to the store's schema.
  package let structure: Int64
}

/// A schema of the database that has a store.
struct StoreSpace {
  let name: String
  /// The numbers of the tables, with commas.
  let tables: String
  var placement: Placement?

  /// The node of a Citus cluster that has the tables, and their size there.
  struct Placement {
    let node: String?
    let bytes: Int64?
  }
}

extension PostgreSQLDatabase {
  /// The number of stores that one statement reads, which locks as many tables.
  private static let storesAtOnce = 100

  /// Returns the stores that the user can read, by name.
  ///
  /// Stores that are created or dropped meanwhile may be missing. It waits for migrations that are in
  /// progress.
  ///
  /// - Throws: Errors of the server.
  /// - Complexity: O(*n*) in the stores, with one round trip for 100 of them.
  public func stores() throws -> [PostgreSQLStoreSummary] {
    let session = Session(
      pool,
      space: "",
      timeout: timeout,
      location: "\(pool.configuration)"
    )
    let found = try session.read(
      [Self.tables, Self.spaces, Self.isDistributed].map { Statement($0) }
    )
    let isDistributed = try found[2].value(0, 0, as: Bool.self) == true
    let placements = isDistributed ? try Self.placements(session) : [:]
    var tables: [Int64: String] = [:]
    for row in 0..<found[0].rowCount {
      guard let space = try found[0].value(row, 0, as: Int64.self) else { continue }
      tables[space] = try found[0].value(row, 1, as: String.self)
    }
    let named = try (0..<found[1].rowCount).map { row in
      let space = try found[1].value(row, 0, as: Int64.self) ?? 0
      return StoreSpace(
        name: try found[1].value(row, 1, as: String.self) ?? "",
        tables: tables[space] ?? "",
        placement: placements[space]
      )
    }
    return try stride(from: 0, to: named.count, by: Self.storesAtOnce).flatMap { start in
      try Self.summaries(named[start..<min(start + Self.storesAtOnce, named.count)], session)
    }
  }

  /// Selects the numbers of the tables of all schemas.
  ///
  /// Joined with ``spaces``, it would be executed for each store: the server has no index for it.
  private static let tables = """
    SELECT relnamespace::int8, string_agg(oid::text, ',') FROM pg_class \
    WHERE relkind IN ('r', 'p') GROUP BY relnamespace
    """

  /// Selects whether Citus distributes the database.
  private static let isDistributed = "SELECT to_regclass('pg_catalog.citus_shards') IS NOT NULL"

  /// Returns where Citus has the tables of each schema that it distributes.
  private static func placements(_ session: Session) throws -> [Int64: StoreSpace.Placement] {
    let sql = """
      SELECT c.relnamespace::int8, s.nodename || ':' || s.nodeport, sum(s.shard_size)::int8 \
      FROM citus_shards AS s JOIN pg_class AS c ON c.oid = s.table_name \
      WHERE s.citus_table_type = 'schema' GROUP BY 1, 2
      """
    var placements: [Int64: StoreSpace.Placement] = [:]
    for result in try session.read([Statement(sql)]) {
      for row in 0..<result.rowCount {
        guard let space = try result.value(row, 0, as: Int64.self) else { continue }
        placements[space] = StoreSpace.Placement(
          node: try result.value(row, 1, as: String.self),
          bytes: try result.value(row, 2, as: Int64.self)
        )
      }
    }
    return placements
  }

  /// Selects the schemas with a readable table `_meta` of a store.
  private static let spaces = """
    SELECT n.oid::int8, n.nspname::text \
    FROM pg_class AS m JOIN pg_namespace AS n ON n.oid = m.relnamespace \
    WHERE m.relname = '_meta' AND m.relkind IN ('r', 'p') AND n.nspname NOT LIKE '%~copy' \
    AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(m.oid, 'SELECT') \
    AND (SELECT count(*) FROM pg_attribute AS a WHERE a.attrelid = m.oid AND a.attname IN \
    ('format', 'identifier', 'schema', 'structure', 'last_save')) = 5 \
    ORDER BY n.nspname COLLATE "C"
    """

  /// Reads the stores of some schemas in one statement.
  static func summaries(
    _ stores: ArraySlice<StoreSpace>,
    _ session: Session
  ) throws -> [PostgreSQLStoreSummary] {
    let rows = try stores.enumerated().map { index, store in
      let space = try SQLName.quoted(store.name)
      let last = "SELECT at FROM \(space)._history ORDER BY number DESC LIMIT 1"
      let sizes =
        "SELECT sum(pg_total_relation_size(t))::int8 FROM unnest('{\(store.tables)}'::oid[]) AS t"
      return "SELECT \(index)::int8, identifier, schema::json ->> 'version', last_save, structure, "
        + "(\(last)), (\(sizes)) FROM \(space)._meta"
    }
    let result: QueryResult
    do {
      let results = try session.read([Statement(rows.joined(separator: " UNION ALL "))])
      guard let only = results.first else { return [] }
      result = only
    } catch let error as DataStoreError where error.isUndefinedObject {
      // One of them was dropped.
      guard stores.count > 1 else { return [] }
      let middle = stores.startIndex + stores.count / 2
      return try summaries(stores[..<middle], session) + summaries(stores[middle...], session)
    }
    let summaries = try (0..<result.rowCount).compactMap { row -> PostgreSQLStoreSummary? in
      guard let index = try result.value(row, 0, as: Int64.self),
        let identifier = try result.value(row, 1, as: UUID.self),
        let version = try result.value(row, 2, as: String.self)
      else { return nil }
      let store = stores[stores.startIndex + Int(index)]
      return PostgreSQLStoreSummary(
        name: store.name,
        identifier: identifier.uuidString,
        schemaVersion: version,
        saves: try result.value(row, 3, as: Int64.self) ?? 0,
        lastSave: try result.value(row, 5, as: Double.self).map {
          Date(timeIntervalSinceReferenceDate: $0)
        },
        bytes: try store.placement?.bytes ?? result.value(row, 6, as: Int64.self) ?? 0,
        node: store.placement?.node,
        structure: try result.value(row, 4, as: Int64.self) ?? 0
      )
    }
    return summaries.sorted { $0.name < $1.name }
  }
}

extension DataStoreError {
  /// Whether the server lacks a table or a schema.
  fileprivate var isUndefinedObject: Bool {
    (cause as? PostgreSQLError)?.kind == .undefinedObject
  }
}
