import CSQLite
import Foundation
import SQLTranslation
import StoreHelpers
import StoreProtocol

/// The changes of a program's statements to the store's tables, and their consequences.
///
/// SQLite reports each row that is inserted or updated. Before the commit these rows get the number
/// of the save as their version. Their columns get the marks that they need, and the indexes of
/// words their new words. A row that the schema's types cannot represent ends the save.
final class RawChanges {
  let catalog: Catalog
  let rules: StatementRules
  private let names: Set<String>

  /// The keys that the program took from the store.
  private var given: Set<Int64> = []
  private(set) var inserted: [String: Set<Int64>] = [:]
  private(set) var updated: [String: Set<Int64>] = [:]
  private(set) var deleted: [String: Set<Int64>] = [:]

  init(_ catalog: Catalog, _ rules: StatementRules) {
    self.catalog = catalog
    self.rules = rules
    names = Set(catalog.map.tables.map(\.name))
  }

  static func transactionLost(_ file: String?) -> DataStoreError {
    DataStoreError(
      .notSaved,
      "an earlier statement failed and ended the transaction; nothing was saved: begin again",
      file: file
    )
  }

  /// Runs a body while a connection reports each row that it changes.
  func watch<Result>(_ connection: Connection, _ body: () throws -> Result) rethrows -> Result {
    try connection.observingRows(
      { note($0, String(cString: $1), $2) },
      during: body
    )
  }

  private func note(_ action: Int32, _ table: String, _ key: Int64) {
    guard names.contains(table) else { return }
    switch action {
    case SQLITE_INSERT: inserted[table, default: []].insert(key)
    case SQLITE_UPDATE: updated[table, default: []].insert(key)
    case SQLITE_DELETE: deleted[table, default: []].insert(key)
    default: break
    }
  }

  /// Takes the next key.
  func newKey(_ connection: Connection) throws -> Int64 {
    let key = try Metadata.nextKey(from: connection)
    try StoreNumbers.check(key + 1, of: "keys", file: nil)
    try Metadata.set(.nextKey, to: key + 1, on: connection)
    given.insert(key)
    return key
  }

  /// Completes the changed rows, so that they are valid rows of the store.
  ///
  /// - Throws: ``DataStoreError/invalidValue`` for a row that no save would have written,
  ///   ``DataStoreError/uniqueConflict`` for values that are equal in Swift.
  func finish(_ connection: Connection, _ history: HistoryOptions) throws {
    guard !connection.isInAutocommit else { throw Self.transactionLost(nil) }
    try checkKeys()
    let save = connection.save
    for table in catalog.map.tables {
      let keys = changedKeys(of: table)
      if !keys.isEmpty {
        try setVersion(save, of: keys, in: table, connection)
        try RawMarks(connection: connection).update(to: table, keys)
      }
      try inspect(table, keys, save, connection)
      try updateSearchIndex(of: table, connection)
    }
    try setVersionsOfOwners(save, connection)
    guard !connection.hasDanglingReferences else {
      throw DataStoreError(
        .invalidValue,
        "the statements leave references to rows that do not exist"
      )
    }
    try writeHistory(save, history, connection)
  }

  func changedKeys(of table: TableMap) -> [Int64] {
    Array((inserted[table.name] ?? []).union(updated[table.name] ?? []))
  }

  private func checkKeys() throws {
    for (table, keys) in inserted {
      guard let key = keys.subtracting(given).min() else { continue }
      throw DataStoreError(
        .invalidValue,
        "the row \(key) was inserted with a key that the store did not assign; get each key from "
          + "newKey(), and update rows instead of replacing them",
        entity: table
      )
    }
  }

  private func setVersion(
    _ version: Int64,
    of keys: [Int64],
    in table: TableMap,
    _ connection: Connection
  ) throws {
    let sql =
      "UPDATE \(table.sql) SET \(table.version) = ? WHERE \(table.key)"
      + " IN (SELECT value FROM json_each(?))"
    try connection.run(sql, .integer(version), .text(KeyList.encoded(keys)))
  }

  /// Sets the version of every row that could be the owner of a changed relationship.
  ///
  /// SQLite does not report rows in join tables, so each possible owner counts as changed.
  private func setVersionsOfOwners(_ version: Int64, _ connection: Connection) throws {
    let joins = catalog.map.joins.filter { rules.targets.contains($0.name) }
    for name in Set(joins.map(\.ownerTable)) {
      guard let table = catalog.map.table(named: name) else { continue }
      try connection.run("UPDATE \(table.sql) SET \(table.version) = ?", .integer(version))
    }
  }

  /// Throws for rows that the schema's types cannot represent, and for unique values that are equal
  /// in Swift.
  private func inspect(
    _ table: TableMap,
    _ keys: [Int64],
    _ saves: Int64,
    _ connection: Connection
  ) throws {
    if keys.isEmpty { return }
    let counters = Counters(
      nextKey: try Metadata.integer(.nextKey, from: connection),
      saves: saves
    )
    let found = ProblemList()
    try RowInspection(catalog: catalog, connection: connection, counters: counters)
      .inspect(table, keys: keys, into: found)
    if let problem = found.problems.first {
      throw DataStoreError(
        .invalidValue,
        problem.message,
        entity: problem.entity,
        property: problem.property,
        identifiers: problem.identifier.map { [$0] } ?? [],
        file: problem.file
      )
    }
    try checkUniqueValues(of: keys, in: table, connection)
  }

  private func checkUniqueValues(
    of keys: [Int64],
    in table: TableMap,
    _ connection: Connection
  ) throws {
    let finder = UniqueFinder(connection: connection, catalog: catalog)
    for constraint in try catalog.map.constraints(of: table) where constraint.hasInexactColumns {
      for key in keys {
        guard let values = try finder.values(of: constraint, row: key, in: table),
          let other = try finder.key(equalTo: values, constraint, in: table, except: key)
        else { continue }
        let map = try catalog.map.entity(named: constraint.entity)
        throw DataStoreError(
          .uniqueConflict,
          "two objects have the same unique values",
          entity: constraint.entity,
          property: constraint.properties.joined(separator: ", "),
          identifiers: [try finder.identifier(of: key, map), try finder.identifier(of: other, map)]
        )
      }
    }
  }

  private func updateSearchIndex(of table: TableMap, _ connection: Connection) throws {
    for index in table.liveSearchIndexes {
      let isTouched =
        rules.columns.contains("\(table.name).*")
        || rules.columns.contains("\(table.name).\(index.column.name)")
      if isTouched { try SearchIndexing(connection: connection).refill(index) }
    }
  }
}
