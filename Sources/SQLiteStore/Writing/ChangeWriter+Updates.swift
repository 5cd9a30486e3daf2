import SQLTranslation
import StoreHelpers
import StoreProtocol

/// Rows of one entity with changes of the same properties.
struct UpdateRun {
  let rows: RowRun
  let keys: [Int64]
  let plan: WritePlan
  let update: UpdatePlan

  /// Creates the updates of a run.
  ///
  /// - Throws: ``DataStoreError/invalidValue`` for a property that the entity lacks, or that the
  ///   run has twice; ``DataStoreError/conflict`` for a row without an integer key.
  init(_ rows: RowRun, in catalog: Catalog) throws {
    self.rows = rows
    plan = try catalog.writePlan(of: rows.entityName)
    update = try plan.update(of: rows.properties)
    keys =
      try rows.identifiers.keys
      ?? rows.identifiers.map { identifier in
        guard let key = identifier.integerKey else { throw VersionCheck.missing(identifier) }
        return key
      }
  }
}

/// Changed rows: only changed values are written.
extension ChangeWriter {
  func update(_ rows: [RowRun]) throws {
    var runs = try rows.map { try UpdateRun($0, in: catalog) }
    if runs.contains(where: { !$0.update.constraints.isEmpty }), let joined = joined(runs) {
      runs = try joined.map { try UpdateRun($0, in: catalog) }
    }
    if history.content == .values { for run in runs { try noteBefore(run.rows.identifiers) } }
    let unique = runs.filter { !$0.update.constraints.isEmpty }
    if !unique.isEmpty { try park(unique) }
    for run in runs {
      try write(run)
      recorder?.record(.update, run.keys, of: run.plan.map.entity, run.rows.properties)
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
      let unique = Set(run.update.constraints.flatMap(\.columns))
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
    let update = run.update
    if update.columns.isEmpty, update.joins.isEmpty { return try requireRows(of: run) }
    let changed = update.constraints.isEmpty ? nil : ChangedValues(run)
    try connection.withStatement(update.sql) { statement in
      let row = try RowBinder(run.rows, run.plan, statement, self, updating: update)
      for (position, key) in run.keys.enumerated() {
        if update.needsPreparation { try prepare(key, position, of: run, changed) }
        try row.bind(position)
        try statement.bind(key, at: update.columns.count + 2)
        try statement.run()
        if connection.changedRowCount == 0 {
          throw VersionCheck.missing(run.rows.identifiers[position])
        }
        if !row.isComplete { try row.finish(key) }
        if !update.constraints.isEmpty {
          try noteLostReference(of: key, run.plan.map)
          finder.noteWritten(key, update.constraints)
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

  /// Does what is needed before a row of a run is written.
  private func prepare(
    _ key: Int64,
    _ position: Int,
    of run: UpdateRun,
    _ changed: ChangedValues?
  ) throws {
    if let changed {
      changed.values.read(position, of: changed.producer)
      for constraint in run.update.constraints {
        try check(constraint, changed.values, position, of: run)
      }
    }
    if run.plan.mayRefer { forgetWaiting(key, run.update.maps) }
    if run.plan.needsRowsOneByOne {
      let table = run.plan.map.table
      try search?.note(key, table.liveSearchIndexes, run.update.maps)
      try releaseFiles(of: key, in: table, run.update.maps)
    }
  }

  /// The changed values of a row, which are compared with those of other rows.
  private struct ChangedValues {
    let values: RecordWriter
    let producer: any RowProducer

    init(_ run: UpdateRun) {
      values = RecordWriter(run.plan.map.entity, in: nil)
      producer = run.rows.values(for: run.plan.map.entity)
    }
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
