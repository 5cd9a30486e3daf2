import CSQLite
import SQLTranslation
import StoreHelpers
import StoreProtocol

/// Changes of all rows that match queries.
extension ChangeWriter {
  func perform(_ bulkChanges: [BulkChange]) throws {
    for change in bulkChanges {
      switch change {
      case .delete(let query): try delete(query)
      case .update(let query, let assignments): try update(query, assignments)
      }
    }
  }

  private func delete(_ query: StoreQuery) throws {
    let deletion = try BulkDeletion(query, catalog: catalog, connection: connection)
    if let sql = deletion.statement {
      try noteDeletion(of: query)
      let plan = try catalog.plan(of: query.entity)
      let gone = try identifiers(SQLITE_DELETE, by: sql, of: plan)
      record(deleted: gone)
      noteDeleted(gone)
      return
    }
    for rows in try deletion.rows() {
      try noteDeletion(of: rows.identifiers)
      record(deleted: rows.identifiers)
      if rows.plan.map.table.needsRowsOneByOne {
        try delete(rows.identifiers)
      } else {
        let keys = KeyList.encoded(rows.keys)
        try connection.run(rows.plan.map.table.deletionByKeys, .text(keys))
      }
      noteDeleted(rows.identifiers)
    }
  }

  private func update(_ query: StoreQuery, _ assignments: [StoreAssignment]) throws {
    let update = try BulkUpdate(query, assignments, catalog: catalog, connection: connection)
    try update.check(on: connection)
    for (column, value) in update.constants
    where column.type?.hasInexactValues == true && !value.isExact {
      try mark(column.map, in: update.table)
    }
    if history.content == .values {
      try noteBefore(QueryReader(catalog: catalog, connection: connection).identifiers(query))
    }
    let sql = update.statement(version: version)
    let changed = try identifiers(SQLITE_UPDATE, by: sql, of: update.rows)
    record(updated: changed, assignments.map(\.property))
    noteUpdated(changed)
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
    try noteDeletion(of: reader.identifiers(query))
  }

  private func record(deleted identifiers: [PersistentIdentifier]) {
    guard recorder != nil else { return }
    for (entity, range) in identifiers.entityRuns(\.scope) {
      recorder?.delete(identifiers[range].compactMap(\.integerKey), of: entity)
    }
  }

  private func record(updated identifiers: [PersistentIdentifier], _ properties: [String]) {
    guard recorder != nil else { return }
    for (name, range) in identifiers.entityRuns(\.scope) {
      guard let entity = catalog.map.schema.entity(named: name) else { continue }
      let changed = properties.compactMap { entity.indexByName[$0] }
      recorder?.update(identifiers[range].compactMap(\.integerKey), of: entity, changed)
    }
  }

  /// Runs a statement that performs one action on rows, and returns the identifiers of the changed
  /// rows.
  ///
  /// If the rows may be of several entities, the statement returns the key and entity of each.
  private func identifiers(
    _ action: Int32,
    by sql: SQLFragment,
    of plan: RowPlan
  ) throws -> [PersistentIdentifier] {
    let table = plan.map.table
    return try connection.withStatement(sql.text) { statement in
      try statement.bind(sql.parameters)
      if table.entityColumn == nil {
        let scope = try catalog.scope(of: plan.map.entity.name)
        return try ChangedRows.keys(action, in: table.name, on: connection) {
          try statement.run()
        }.map { PersistentIdentifier(scope: scope, key: .integer($0)) }
      }
      var found: [PersistentIdentifier] = []
      while try statement.step() {
        let scope = try catalog.scope(of: statement.text(at: 1) ?? plan.map.entity.name)
        found.append(
          PersistentIdentifier(scope: scope, key: .integer(statement.integer(at: 0)))
        )
      }
      return found
    }
  }
}

extension TableMap {
  /// The columns that a changing statement returns of each row, if it has to tell their entities.
  var returning: String { entityColumn.map { " RETURNING \(key), \($0)" } ?? "" }

  /// Whether each removed row needs work of its own: for its words, or its files.
  var needsRowsOneByOne: Bool { !liveSearchIndexes.isEmpty || !fileColumns.isEmpty }

  /// The statement that removes the rows of a list of keys.
  fileprivate var deletionByKeys: String {
    "DELETE FROM \(sql) WHERE \(key) IN (SELECT value FROM json_each(?))"
  }
}
