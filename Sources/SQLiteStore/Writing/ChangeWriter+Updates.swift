import SQLTranslation
import StoreHelpers
import StoreProtocol

/// Rows of one entity with changes of the same properties, and what their updates have in common.
struct UpdateRun {
  let rows: RowRun
  let keys: [Int64]
  let plan: WritePlan

  /// The constraints to which the changed values belong.
  let constraints: [ConstraintMap]

  /// The columns to write.
  let columns: [WriteColumn]

  /// The changed relationships with tables of their own.
  let joins: [(property: Int, join: JoinMap)]

  /// The statement that sets the columns, and then the version of the row.
  let sql: String

  /// Creates the updates of a run.
  ///
  /// - Throws: ``DataStoreError/invalidValue`` for a property that the entity lacks, or that the
  ///   run has twice; ``DataStoreError/conflict`` for a row without an integer key.
  init(_ rows: RowRun, in catalog: Catalog) throws {
    plan = try catalog.writePlan(of: rows.entityName)
    let properties = rows.properties
    let entity = plan.map.entity
    guard properties.allSatisfy(entity.properties.indices.contains),
      properties.count == 1 || Set(properties).count == properties.count
    else {
      throw DataStoreError(
        .invalidValue,
        "the update names a property that the entity lacks, or names one twice",
        entity: rows.entityName
      )
    }
    keys =
      try rows.identifiers.keys
      ?? rows.identifiers.map { identifier in
        guard let key = identifier.integerKey else { throw VersionCheck.missing(identifier) }
        return key
      }
    self.rows = rows
    columns = properties.compactMap(plan.column)
    joins = plan.joins.filter { properties.contains($0.property) }
    constraints = plan.constraints.filter { constraint in
      properties.contains { constraint.properties.contains(entity.properties[$0].name) }
    }
    sql = plan.change(of: columns)
  }
}

/// Changed rows: only changed values are written.
extension ChangeWriter {
  func update(_ rows: [RowRun]) throws {
    var runs = try rows.map { try UpdateRun($0, in: catalog) }
    if runs.contains(where: { !$0.constraints.isEmpty }), let joined = joined(runs) {
      runs = try joined.map { try UpdateRun($0, in: catalog) }
    }
    if history.content == .values { for run in runs { try noteBefore(run.rows.identifiers) } }
    let unique = runs.filter { !$0.constraints.isEmpty }
    if !unique.isEmpty { try park(unique) }
    for run in runs {
      try write(run)
      recorder?.update(run.keys, of: run.plan.map.entity, run.rows.properties)
    }
  }

  /// Returns the changes with all of a row as one, in which later values replace earlier ones, or
  /// `nil` if no row changes twice.
  ///
  /// Other rows may have a unique value that a later change of the row replaces.
  private func joined(_ runs: [UpdateRun]) -> [RowRun]? {
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

  /// Clears unique values that will change, so that rows can exchange them.
  ///
  /// SQLite checks a unique index after each row, the contract after all of them.
  private func park(_ runs: [UpdateRun]) throws {
    guard runs.reduce(0, { $0 + $1.keys.count }) > 1 else { return }
    for run in runs {
      let plan = run.plan
      let unique = Set(run.constraints.flatMap(\.columns))
      let columns = run.rows.properties
        .compactMap { plan.map.column(of: plan.map.entity.properties[$0].name) }
        .filter(unique.contains)
      if columns.isEmpty { continue }
      let sql = WritePlan.update(of: plan.map.table, columns)
      for key in run.keys {
        try search?.note(key, plan.map.table.liveSearchIndexes, columns)
        try connection.withStatement(sql) {
          try $0.bind(key, at: columns.count + 1)
          try $0.run()
        }
      }
    }
  }

  private func write(_ run: UpdateRun) throws {
    if run.columns.isEmpty, run.joins.isEmpty { return try requireRows(of: run) }
    let preparations = preparations(of: run)
    try connection.withStatement(run.sql) { statement in
      let row = try RowBinder(run.rows, run.plan, statement, self, updating: run)
      for (position, key) in run.keys.enumerated() {
        for prepare in preparations { try prepare(key, position) }
        try row.bind(position)
        try statement.bind(key, at: run.columns.count + 2)
        try statement.run()
        if connection.changedRowCount == 0 {
          throw VersionCheck.missing(run.rows.identifiers[position])
        }
        if !row.isComplete { try row.finish(key) }
        if !run.constraints.isEmpty {
          try noteLostReference(of: key, run.plan.map)
          finder.noteWritten(key, run.constraints)
        }
      }
    }
    if run.plan.hasReferences { noteWritten(run.keys, run.plan) }
  }

  /// Throws if a row of a run that changes no column does not exist.
  private func requireRows(of run: UpdateRun) throws {
    for (position, key) in run.keys.enumerated()
    where try !finder.exists(key, in: run.plan.map.table) {
      throw VersionCheck.missing(run.rows.identifiers[position])
    }
  }

  /// Returns what is done before each row of a run is written, by key and position: nothing for rows
  /// of plain attributes.
  private func preparations(of run: UpdateRun) -> [(Int64, Int) throws -> Void] {
    var preparations: [(Int64, Int) throws -> Void] = []
    let table = run.plan.map.table
    if !run.constraints.isEmpty {
      let values = RecordWriter(run.plan.map.entity, in: nil)
      let producer = run.rows.values(for: run.plan.map.entity)
      preparations.append { _, position in
        values.read(position, of: producer)
        for constraint in run.constraints { try self.check(constraint, values, position, of: run) }
      }
    }
    let columns = run.columns.map(\.map)
    if run.plan.mayRefer { preparations.append { key, _ in self.forgetWaiting(key, columns) } }
    if run.plan.needsRowsOneByOne {
      preparations.append { key, _ in
        try self.search?.note(key, table.liveSearchIndexes, columns)
        try self.releaseFiles(of: key, in: table, columns)
      }
    }
    return preparations
  }

  /// Throws if another row has the unique values of an update.
  private func check(
    _ constraint: ConstraintMap,
    _ changed: RecordWriter,
    _ position: Int,
    of run: UpdateRun
  ) throws {
    let map = run.plan.map
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
