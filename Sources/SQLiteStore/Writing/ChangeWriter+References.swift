import SQLTranslation
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
    try connection.run("DELETE FROM \(list.join.sql) WHERE owner = ?", .integer(list.owner))
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
    let sql = "INSERT INTO \(list.join.sql)(owner, position, member) VALUES (?, ?, ?)"
    try connection.withStatement(sql) { statement in
      for (position, key) in keys.enumerated() {
        try statement.bind(list.owner, at: 1)
        try statement.bind(start + Int64(position), at: 2)
        try statement.bind(key, at: 3)
        try statement.run()
      }
    }
  }

  /// Clears the references of the written rows that refer to no row.
  ///
  /// It is only needed if another writer has deleted a row: SQLite itself clears the references to
  /// rows that this transaction deletes.
  func dropDanglingReferences() throws {
    for (name, keys) in written {
      guard let table = catalog.map.table(named: name) else { continue }
      for column in table.columns {
        guard case .reference(let target, _) = column.content,
          let destination = catalog.map.table(named: target)
        else { continue }
        try connection.run(
          "UPDATE \(table.sql) SET \(column.sql) = NULL"
            + " WHERE \(table.key) IN (SELECT value FROM json_each(?)) AND \(column.sql) NOT IN"
            + " (SELECT \(destination.key) FROM \(destination.sql))",
          .text(KeyList.encoded(keys))
        )
      }
    }
    for join in Set(lists.map(\.join)) {
      guard let destination = catalog.map.table(named: join.memberTable) else { continue }
      let owners = lists.filter { $0.join == join }.map(\.owner)
      try connection.run(
        "DELETE FROM \(join.sql) WHERE owner IN (SELECT value FROM json_each(?))"
          + " AND member NOT IN (SELECT \(destination.key) FROM \(destination.sql))",
        .text(KeyList.encoded(owners))
      )
    }
  }

  func unsaved(_ entity: StoreEntity, _ property: Int) -> DataStoreError {
    let reason = "the relationship refers to an object that is not part of the save"
    return invalid(reason, property, entity)
  }
}
