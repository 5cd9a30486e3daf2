import CSQLite
import SQLTranslation
import StoreHelpers
import StoreProtocol

/// Changes of all rows that match queries.
extension ChangeWriter {
  /// Performs bulk changes, in their order.
  ///
  /// Delete rules are checked after the last one, so that no change depends on the order of two
  /// deletions.
  func perform(_ changes: StoreChanges) throws {
    var obstacles: [DeletionObstacle] = []
    for change in changes.bulkChanges {
      switch change {
      case .delete(let query): obstacles += try delete(query)
      case .update(let query, let assignments): try update(query, assignments)
      }
    }
    if obstacles.isEmpty { return }
    let deleted = Set((result.deleted + changes.deleted).map(\.key))
    if let obstacle = obstacles.first(where: { !deleted.contains($0.row.key) }) {
      throw obstacle.error
    }
  }

  private func delete(_ query: StoreQuery) throws -> [DeletionObstacle] {
    let deletion = try BulkDeletion(query, catalog: catalog, connection: connection)
    if let sql = deletion.statement {
      try noteDeletion(of: query)
      for rows in try changedRows(SQLITE_DELETE, by: sql, of: query.entity) {
        recorder?.record(.delete, rows.keys, of: rows.plan.map.entity)
        result.deleted += rows.identifiers
      }
      return []
    }
    let (all, obstacles) = try deletion.rows()
    for rows in all {
      try noteDeletion(of: [rows])
      if rows.plan.needsRowsOneByOne {
        try delete(rows.keys, by: rows.plan)
      } else {
        recorder?.record(.delete, rows.keys, of: rows.plan.map.entity)
        let keys = KeyList.encoded(rows.keys)
        try connection.run(rows.plan.map.table.deletionByKeys, .text(keys))
      }
      result.deleted += rows.identifiers
    }
    return obstacles
  }

  private func update(_ query: StoreQuery, _ assignments: [StoreAssignment]) throws {
    let update = try BulkUpdate(query, assignments, catalog: catalog, connection: connection)
    for (column, value) in update.constants
    where column.type?.hasInexactValues == true && !value.isExact {
      try mark(column.map, in: update.table)
    }
    if history.content == .values {
      try noteBefore(QueryReader(catalog: catalog, connection: connection).identifiers(query))
    }
    let sql = update.statement(version: version)
    let changed: [BulkRows]
    do {
      changed = try changedRows(SQLITE_UPDATE, by: sql, of: query.entity)
    } catch let error as SQLiteError where error.code == SQLITE_ERROR {
      // SQLite does not name the row whose new value is invalid.
      _ = try update.rowCount(on: connection)
      throw error
    }
    try query.requireRows(changed.flatMap(\.keys))
    for rows in changed {
      let entity = rows.plan.map.entity
      let properties = assignments.compactMap { entity.indexByName[$0.property] }
      recorder?.record(.update, rows.keys, of: entity, properties)
      result.updated += rows.identifiers
    }
  }

  /// Records the rows that one statement will delete, if the history or a relationship needs them.
  private func noteDeletion(of query: StoreQuery) throws {
    guard let recorder else { return }
    let map = try catalog.map.entity(named: query.entity)
    let family = catalog.map.schema.family(of: query.entity)
    guard
      !catalog.references(to: map.table.name).isEmpty
        || family.contains(where: { recorder.wantsRow(of: $0, deleting: true) })
    else { return }
    let reader = QueryReader(catalog: catalog, connection: connection)
    try noteDeletion(of: rows(of: reader.identifiers(query)))
  }

  /// Runs a statement that performs one action on rows of an entity, and returns the changed rows.
  ///
  /// If the rows may be of several entities, the statement returns the key and entity of each.
  private func changedRows(
    _ action: Int32,
    by sql: SQLFragment,
    of entity: String
  ) throws -> [BulkRows] {
    let plan = try catalog.writePlan(of: entity)
    let table = plan.map.table
    return try connection.withStatement(sql) { statement in
      if table.entityColumn == nil {
        let keys = try connection.changedKeys(action, in: table.name) { try statement.run() }
        return keys.isEmpty ? [] : [BulkRows(plan: plan, keys: keys)]
      }
      var found: [BulkRows] = []
      while try statement.step() {
        let name = statement.text(at: 1) ?? entity
        if found.last?.plan.map.entity.name != name {
          found.append(BulkRows(plan: try catalog.writePlan(of: name)))
        }
        found[found.count - 1].keys.append(statement.integer(at: 0))
      }
      return found
    }
  }
}

extension TableMap {
  /// The columns that a changing statement returns of each row, if it has to tell their entities.
  var returning: String { entityColumn.map { " RETURNING \(key), \($0)" } ?? "" }

  /// The statement that removes the rows of a list of keys.
  fileprivate var deletionByKeys: String {
    "DELETE FROM \(sql) WHERE \(key) IN (SELECT value FROM json_each(?))"
  }
}
