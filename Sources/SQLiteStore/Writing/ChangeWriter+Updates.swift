import StoreHelpers
import StoreProtocol

/// Changed rows: only changed values are written.
extension ChangeWriter {
  /// Rows of one entity with changes of the same properties.
  private struct Run {
    let shape: UpdateShape
    let rows: RowRun
    let keys: [Int64]
  }

  func update(_ rows: [RowRun]) throws {
    var runs = try runs(rows)
    if runs.contains(where: { !$0.shape.constraints.isEmpty }), let joined = joined(runs) {
      runs = try self.runs(joined)
    }
    for run in runs { try noteBefore(run.rows.identifiers) }
    try park(runs.filter { !$0.shape.constraints.isEmpty })
    for run in runs {
      try write(run)
      recorder?.update(run.keys, of: run.shape.plan.map.entity, run.rows.properties)
    }
  }

  private func runs(_ rows: [RowRun]) throws -> [Run] {
    try rows.map { rows in
      Run(
        shape: try UpdateShape(rows, catalog.writePlan(of: rows.entityName)),
        rows: rows,
        keys: try keys(of: rows)
      )
    }
  }

  /// Returns the changes with all of a row as one, in which later values replace earlier ones, or
  /// `nil` if no row changes twice.
  ///
  /// Other rows may have a unique value that a later change of the row replaces.
  private func joined(_ runs: [Run]) -> [RowRun]? {
    guard runs.contains(where: { $0.keys.count > 1 }) || runs.count > 1 else { return nil }
    var seen: Set<PersistentIdentifier> = []
    let isUnique = runs.allSatisfy { $0.rows.identifiers.allSatisfy { seen.insert($0).inserted } }
    if isUnique { return nil }
    var changes: [PersistentIdentifier: [StoreUpdate.Change]] = [:]
    var order: [PersistentIdentifier] = []
    for update in runs.flatMap(\.rows.updates) {
      if changes[update.identifier] == nil { order.append(update.identifier) }
      changes[update.identifier, default: []] += update.changes
    }
    return RowRun.runs(
      of: order.map { identifier in
        let last = Dictionary(lastOf: (changes[identifier] ?? []).map { ($0.index, $0) })
        return StoreUpdate(
          identifier: identifier,
          changes: last.values.sorted { $0.index < $1.index }
        )
      }
    )
  }

  private func keys(of rows: RowRun) throws -> [Int64] {
    if let keys = rows.identifiers.keys { return keys }
    return try rows.identifiers.map { identifier in
      guard let key = identifier.integerKey else { throw VersionCheck.missing(identifier) }
      return key
    }
  }

  /// Clears unique values that will change, so that rows can exchange them.
  ///
  /// SQLite checks a unique index after each row, the contract after all of them.
  private func park(_ runs: [Run]) throws {
    guard runs.reduce(0, { $0 + $1.keys.count }) > 1 else { return }
    for run in runs {
      let plan = run.shape.plan
      let unique = Set(run.shape.constraints.flatMap(\.columns))
      let columns = run.rows.properties
        .compactMap { plan.map.column(of: plan.map.entity.properties[$0].name) }
        .filter(unique.contains)
      if columns.isEmpty { continue }
      let sql = WritePlan.update(of: plan.map.table, columns)
      for key in run.keys {
        try search.note(key, plan.map.table.liveSearchIndexes, columns)
        try connection.withStatement(sql) {
          try $0.bind(key, at: columns.count + 1)
          try $0.run()
        }
      }
    }
  }

  private func write(_ run: Run) throws {
    let shape = run.shape
    let table = shape.plan.map.table
    if shape.columns.isEmpty, shape.lists.isEmpty {
      for (position, key) in run.keys.enumerated() where try !finder.exists(key, in: table) {
        throw VersionCheck.missing(run.rows.identifiers[position])
      }
      return
    }
    let values = shape.constraints.isEmpty ? nil : RecordWriter(shape.plan.map.entity, in: nil)
    let producer = run.rows.values(for: shape.plan.map.entity)
    try connection.withStatement(shape.sql) { statement in
      let row = RowBinder(updating: run.rows, shape, statement, self)
      for (position, key) in run.keys.enumerated() {
        if let values {
          values.read(position, of: producer)
          for constraint in shape.constraints { try check(constraint, values, position, of: run) }
        }
        forgetWaiting(key, shape.maps)
        if table.needsRowsOneByOne {
          try search.note(key, table.liveSearchIndexes, shape.maps)
          try releaseFiles(of: key, in: table, shape.maps)
        }
        try row.bind(position)
        try statement.bind(key, at: shape.columns.count + 2)
        try statement.run()
        if connection.changedRowCount == 0 {
          throw VersionCheck.missing(run.rows.identifiers[position])
        }
        try row.finish(key)
        finder.noteWritten(key, shape.constraints)
      }
    }
    noteWritten(run.keys, shape.plan)
  }

  /// Throws if another row has the unique values of an update.
  private func check(
    _ constraint: ConstraintMap,
    _ changed: RecordWriter,
    _ position: Int,
    of run: Run
  ) throws {
    let map = run.shape.plan.map
    let key = run.keys[position]
    guard let stored = try finder.values(of: constraint, row: key, in: map.table) else {
      throw VersionCheck.missing(run.rows.identifiers[position])
    }
    var values: [SQLValue] = []
    for (position, name) in constraint.properties.enumerated() {
      guard let property = map.entity.indexByName[name], run.rows.properties.contains(property)
      else {
        values.append(stored[position])
        continue
      }
      let column = constraint.columns[position]
      let value = changed.values[property]
      // A reference to a row that is not stored yet equals no other.
      values.append(try uniqueValue(value, of: property, map.entity, column) ?? .null)
    }
    guard let other = try finder.key(equalTo: values, constraint, in: map.table, except: key)
    else { return }
    throw DataStoreError.uniqueConflict(
      between: try finder.identifier(of: key, map),
      and: try finder.identifier(of: other, map),
      over: constraint.properties,
      of: constraint.entity
    )
  }
}
