import SQLTranslation
import StoreHelpers
import StoreProtocol

/// References that had to wait, lists with tables of their own, and rows that do not exist.
extension ChangeWriter {
  /// Writes the references whose rows were inserted after them.
  ///
  /// - Throws: ``DataStoreError/invalidValue`` for a temporary identifier that was not inserted.
  func writePostponed() throws {
    for entry in waiting {
      if entry.isAddition {
        try addOrder(entry)
        continue
      }
      let sql = WritePlan.update(of: entry.plan.map.table, [entry.column.map])
      try connection.withStatement(sql) { statement in
        let isBound = try bind(entry.value, to: entry.column, entry.plan, statement, at: 1)
        guard isBound else { throw unsaved(entry.plan.map.entity, entry.column.property) }
        try statement.bind(entry.key, at: 2)
        try statement.run()
      }
    }
  }

  /// Discards the waiting values for columns of a row that a later change writes.
  func forgetWaiting(_ key: Int64, _ columns: [ColumnMap]) {
    guard !waiting.isEmpty else { return }
    waiting.removeAll { $0.key == key && columns.contains($0.column.map) }
  }

  func write(_ list: WaitingList) throws {
    if list.isAddition { return try add(list) }
    if !list.isOfNewRow {
      try connection.run("DELETE FROM \(list.join.sql) WHERE owner = ?", .integer(list.owner))
    }
    let members: [PersistentIdentifier]
    switch list.value {
    case .identifiers(let identifiers): members = identifiers
    case .null: return
    default: throw mismatch(list.value, list.property, list.entity)
    }
    guard let keys = storedKeys(members)?.withoutRepeats else {
      throw unsaved(list.entity, list.property)
    }
    try insert(keys, into: list, from: 0)
  }

  /// Inserts the related objects of a relationship from a position on.
  func insert(_ keys: [Int64], into list: WaitingList, from start: Int64) throws {
    try connection.withStatement(list.join.insertion) { statement in
      for (position, key) in keys.enumerated() {
        try statement.bind(list.owner, at: 1)
        try statement.bind(start + Int64(position), at: 2)
        try statement.bind(key, at: 3)
        try statement.run()
      }
    }
  }

  /// Clears the references of the written rows that refer to no row, and adds these rows to the result.
  ///
  /// It is only needed if another writer has deleted a row: SQLite itself clears the references to
  /// rows that this transaction deletes.
  ///
  /// - Throws: ``DataStoreError/conflict`` if a row must not lose one of them.
  func dropDanglingReferences(except protected: Set<StoreReference>) throws {
    for reference in protected { try checkTargets(of: reference) }
    for (name, keys) in written {
      guard let table = catalog.map.table(named: name) else { continue }
      for column in table.columns {
        guard case .reference(let target, _) = column.content,
          let destination = catalog.map.table(named: target)
        else { continue }
        let rest = Self.lost(column, of: table, in: destination)
        let keys = SQLValue.text(KeyList.encoded(keys))
        result.changedByStore += try connection.rows(
          "SELECT \(table.identifier) FROM \(table.sql)" + rest,
          keys
        ) { try catalog.identifier($0, in: table, table.name) }
        try connection.run("UPDATE \(table.sql) SET \(column.sql) = NULL" + rest, keys)
      }
    }
    for (join, lists) in Dictionary(grouping: lists, by: \.join) {
      guard let destination = catalog.map.table(named: join.memberTable) else { continue }
      let owners = Dictionary(firstOf: lists.map { ($0.owner, $0.entity.name) })
      let rest =
        " FROM \(join.sql) WHERE owner IN (SELECT value FROM json_each(?))"
        + " AND member NOT IN (SELECT \(destination.key) FROM \(destination.sql))"
      let keys = SQLValue.text(KeyList.encoded(Array(owners.keys)))
      let losing = try connection.rows("SELECT DISTINCT owner" + rest, keys) { $0.integer(at: 0) }
      result.changedByStore += try losing.compactMap { owner in
        try owners[owner].map { try catalog.identifier(owner, of: $0) }
      }
      try connection.run("DELETE" + rest, keys)
    }
  }

  /// Throws if a written row refers to no row by a relationship to one.
  private func checkTargets(of reference: StoreReference) throws {
    let map = try catalog.map.entity(named: reference.entity)
    guard let keys = written[map.table.name], let column = map.column(of: reference.property),
      case .reference(let target, _) = column.content,
      let destination = catalog.map.table(named: target),
      let entity = map.entity.property(named: reference.property)?.relationship?.destination
    else { return }
    let missing = try connection.rows(
      "SELECT DISTINCT \(column.sql) FROM \(map.table.sql)"
        + Self.lost(column, of: map.table, in: destination),
      .text(KeyList.encoded(keys))
    ) { try catalog.identifier($0.integer(at: 0), of: entity) }
    if !missing.isEmpty { throw DataStoreError.missingTargets(missing, of: reference) }
  }

  /// The condition of rows, by a list of keys, that refer to a row that does not exist.
  ///
  /// In SQL, even null is not in an empty table.
  private static func lost(
    _ column: ColumnMap,
    of table: TableMap,
    in destination: TableMap
  ) -> String {
    " WHERE \(table.key) IN (SELECT value FROM json_each(?)) AND \(column.sql) IS NOT NULL"
      + " AND \(column.sql) NOT IN (SELECT \(destination.key) FROM \(destination.sql))"
  }

  func unsaved(_ entity: StoreEntity, _ property: Int) -> DataStoreError {
    let reason = "the relationship refers to an object that is not part of the save"
    return invalid(reason, property, entity)
  }
}
