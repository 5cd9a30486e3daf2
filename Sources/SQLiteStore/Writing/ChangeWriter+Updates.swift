import StoreHelpers
import StoreProtocol

/// Changed rows: only changed values are written.
extension ChangeWriter {
  /// Consecutive updates that change the same properties of rows of one entity.
  private struct Run {
    let shape: UpdateShape
    var updates: ArraySlice<StoreUpdate>
  }

  func update(_ updates: [StoreUpdate]) throws {
    var runs = try runs(updates)
    if updates.count > 1, runs.contains(where: { !$0.shape.constraints.isEmpty }) {
      // Other rows may have a unique value that a later update of the row replaces.
      let joined = updates.joinedByRow
      if joined.count < updates.count { runs = try self.runs(joined) }
    }
    try noteBefore(updates.lazy.map(\.identifier))
    try park(runs.filter { !$0.shape.constraints.isEmpty })
    for run in runs {
      let keys = try write(run)
      recorder?.update(keys, of: run.shape.plan.map.entity, run.shape.indices)
    }
  }

  private func runs(_ updates: [StoreUpdate]) throws -> [Run] {
    var runs: [Run] = []
    var start = updates.startIndex
    while start < updates.endIndex {
      let first = updates[start]
      let shape = try UpdateShape(first, catalog.writePlan(of: first.identifier.entityName))
      var end = start + 1
      while end < updates.endIndex, shape.fits(updates[end]) { end += 1 }
      runs.append(Run(shape: shape, updates: updates[start..<end]))
      start = end
    }
    return runs
  }

  /// Clears unique values that will change, so that rows can exchange them.
  ///
  /// SQLite checks a unique index after each row, the contract after all of them.
  private func park(_ runs: [Run]) throws {
    guard runs.reduce(0, { $0 + $1.updates.count }) > 1 else { return }
    for run in runs {
      let plan = run.shape.plan
      let unique = Set(run.shape.constraints.flatMap(\.columns))
      let columns = run.shape.indices
        .compactMap { plan.map.column(of: plan.map.entity.properties[$0].name) }
        .filter(unique.contains)
      if columns.isEmpty { continue }
      let sql = WritePlan.update(of: plan.map.table, columns)
      for update in run.updates {
        let key = try key(of: update)
        try search.note(key, plan.map.table.liveSearchIndexes, columns)
        try connection.withStatement(sql) {
          try $0.bind(key, at: columns.count + 1)
          try $0.run()
        }
      }
    }
  }

  /// Writes updates of one shape.
  ///
  /// - Returns: The keys of their rows.
  private func write(_ run: Run) throws -> [Int64] {
    let shape = run.shape
    let table = shape.plan.map.table
    var keys: [Int64] = []
    keys.reserveCapacity(run.updates.count)
    for update in run.updates { keys.append(try key(of: update)) }
    if !shape.lists.isEmpty {
      for (key, update) in zip(keys, run.updates) { noteLists(of: update, key, shape) }
    }
    if shape.columns.isEmpty, shape.lists.isEmpty {
      for (key, update) in zip(keys, run.updates) where try !finder.exists(key, in: table) {
        throw VersionCheck.missing(update.identifier)
      }
      return keys
    }
    try connection.withStatement(shape.sql) { statement in
      for (key, update) in zip(keys, run.updates) {
        for constraint in shape.constraints { try check(constraint, update, key, shape.plan) }
        forgetWaiting(key, shape.maps)
        if table.needsRowsOneByOne {
          try search.note(key, table.liveSearchIndexes, shape.maps)
          try releaseFiles(of: key, in: table, shape.maps)
        }
        try write(update, key, shape, by: statement)
        finder.noteWritten(key, shape.constraints)
      }
    }
    if shape.plan.hasReferences { written[table.name, default: []].append(contentsOf: keys) }
    return keys
  }

  private func write(
    _ update: StoreUpdate,
    _ key: Int64,
    _ shape: UpdateShape,
    by statement: Statement
  ) throws {
    var index = 1
    for (position, column) in shape.columns {
      let value = update.changes[position].value
      let isBound = try bind(value, to: column, shape.plan, statement, at: index)
      index += 1
      if !isBound { wait(for: value, column, key, shape.plan) }
    }
    try statement.bind(version, at: index)
    try statement.bind(key, at: index + 1)
    try statement.run()
    if connection.changedRowCount == 0 { throw VersionCheck.missing(update.identifier) }
  }

  private func noteLists(of update: StoreUpdate, _ key: Int64, _ shape: UpdateShape) {
    for (position, join) in shape.lists {
      let change = update.changes[position]
      lists.append(
        WaitingList(
          owner: key,
          join: join,
          value: change.value,
          entity: shape.plan.map.entity,
          property: change.index
        )
      )
    }
  }

  private func key(of update: StoreUpdate) throws -> Int64 {
    guard let key = update.identifier.integerKey else {
      throw VersionCheck.missing(update.identifier)
    }
    return key
  }

  /// Throws if another row has the unique values of an update.
  private func check(
    _ constraint: ConstraintMap,
    _ update: StoreUpdate,
    _ key: Int64,
    _ plan: WritePlan
  ) throws {
    let map = plan.map
    guard let stored = try finder.values(of: constraint, row: key, in: map.table) else {
      throw VersionCheck.missing(update.identifier)
    }
    let changed = Dictionary(lastOf: update.changes.map { ($0.index, $0.value) })
    var values: [SQLValue] = []
    for (position, name) in constraint.properties.enumerated() {
      guard let property = map.entity.indexByName[name], let value = changed[property] else {
        values.append(stored[position])
        continue
      }
      let column = constraint.columns[position]
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

extension [StoreUpdate] {
  /// The updates with all of a row as one, in which later values replace earlier ones.
  fileprivate var joinedByRow: [StoreUpdate] {
    guard Set(map(\.identifier)).count < count else { return self }
    let byRow = Dictionary(grouping: self, by: \.identifier)
    var seen: Set<PersistentIdentifier> = []
    return filter { seen.insert($0.identifier).inserted }.map { first in
      let changes = (byRow[first.identifier] ?? []).flatMap(\.changes)
      let last = Dictionary(lastOf: changes.map { ($0.index, $0) })
      return StoreUpdate(
        identifier: first.identifier,
        changes: last.values.sorted { $0.index < $1.index }
      )
    }
  }
}
