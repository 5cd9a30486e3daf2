import StoreProtocol

/// Changed rows: only what changed is written.
extension ChangeWriter {
  /// One update with what it takes to write it.
  private struct Step {
    let key: Int64
    let update: StoreUpdate
    let shape: UpdateShape

    var plan: WritePlan { shape.plan }
    var constraints: [ConstraintMap] { shape.constraints }
  }

  func update(_ updates: [StoreUpdate]) throws {
    try noteUpdates(updates)
    var steps: [Step] = []
    steps.reserveCapacity(updates.count)
    for update in updates {
      guard let key = update.identifier.integerKey else { throw missing(update.identifier) }
      // Objects are mostly changed alike: what was worked out for the one before holds.
      let shape =
        if let last = steps.last?.shape, last.fits(update) { last } else {
          try UpdateShape(update, catalog.writePlan(of: update.identifier.entityName))
        }
      steps.append(Step(key: key, update: update, shape: shape))
    }
    try park(steps.filter { !$0.constraints.isEmpty })
    for step in steps { try write(step) }
  }

  /// Clears unique values that will change, so that rows can exchange them.
  ///
  /// SQLite judges a unique index after each row and the contract judges after all of them.
  private func park(_ steps: [Step]) throws {
    guard steps.count > 1 else { return }
    for step in steps {
      let unique = Set(step.constraints.flatMap(\.columns))
      let changed = step.update.changes.compactMap {
        step.plan.map.column(of: step.plan.map.entity.properties[$0.index].name)
      }
      let columns = changed.filter(unique.contains)
      guard let sql = WritePlan.update(of: step.plan.map.table, columns) else { continue }
      try search.note(step.key, step.plan.map.table.liveSearchIndexes, columns)
      try connection.withStatement(sql) {
        try $0.bind(step.key, at: columns.count + 1)
        try $0.run()
      }
    }
  }

  private func write(_ step: Step) throws {
    for constraint in step.constraints { try check(constraint, step) }
    let map = step.plan.map
    let shape = step.shape
    for (position, join) in shape.lists {
      let change = step.update.changes[position]
      lists.append(
        WaitingList(
          owner: step.key,
          join: join,
          value: change.value,
          entity: map.entity,
          property: change.index
        )
      )
    }
    if shape.columns.isEmpty, shape.lists.isEmpty {
      guard try finder.exists(step.key, in: map.table) else {
        throw missing(step.update.identifier)
      }
      return
    }
    try writeColumns(step)
    if step.plan.hasReferences { written[map.table.name, default: []].append(step.key) }
  }

  private func writeColumns(_ step: Step) throws {
    let shape = step.shape
    let table = step.plan.map.table
    forgetWaiting(step.key, shape.maps)
    try search.note(step.key, table.liveSearchIndexes, shape.maps)
    try releaseFiles(of: step.key, in: table, shape.maps)
    try connection.withStatement(shape.sql) { statement in
      var index = 1
      for (position, column) in shape.columns {
        let value = step.update.changes[position].value
        let isBound = try bind(value, to: column, step.plan, statement, at: index)
        index += 1
        guard !isBound else { continue }
        waiting.append(
          WaitingValue(key: step.key, plan: step.plan, column: column, value: value)
        )
      }
      try statement.bind(version, at: index)
      try statement.bind(step.key, at: index + 1)
      try statement.run()
    }
    if connection.changedRowCount == 0 { throw missing(step.update.identifier) }
  }

  /// Refuses an update whose unique values another row has.
  private func check(_ constraint: ConstraintMap, _ step: Step) throws {
    let map = step.plan.map
    guard let stored = try finder.values(of: constraint, row: step.key, in: map.table) else {
      throw missing(step.update.identifier)
    }
    let changed = Dictionary(
      step.update.changes.map { ($0.index, $0.value) },
      uniquingKeysWith: { _, last in last }
    )
    var values: [SQLValue] = []
    for (position, name) in constraint.properties.enumerated() {
      guard let property = map.entity.indexByName[name], let value = changed[property] else {
        values.append(stored[position])
        continue
      }
      let single = try self.values(of: constraint.only(position), in: map) { _ in value }
      // A reference to a row that is not there yet equals no other.
      values.append(single?.first ?? .null)
    }
    guard let other = try finder.key(equalTo: values, constraint, in: map.table, except: step.key)
    else { return }
    throw DataStoreError.uniqueConflict(
      between: try finder.identifier(of: step.key, map),
      and: try finder.identifier(of: other, map),
      over: constraint.properties,
      of: constraint.entity
    )
  }

  private func missing(_ identifier: PersistentIdentifier) -> DataStoreError {
    DataStoreError(
      .conflict,
      "the object \(identifier) is not stored any more; fetch again",
      entity: identifier.entityName
    )
  }
}

extension ConstraintMap {
  /// The constraint with one of its columns alone.
  fileprivate func only(_ position: Int) -> ConstraintMap {
    ConstraintMap(
      entity: entity,
      properties: [properties[position]],
      columns: [columns[position]],
      index: index,
      lookup: lookup
    )
  }
}
