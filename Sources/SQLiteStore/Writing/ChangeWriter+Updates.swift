import StoreProtocol

/// Changed rows: only what changed is written.
extension ChangeWriter {
  /// One update with what it takes to write it.
  private struct Step {
    let key: Int64
    let plan: WritePlan
    let update: StoreUpdate

    /// The constraints that the changed values belong to.
    let constraints: [ConstraintMap]
  }

  func update(_ updates: [StoreUpdate]) throws {
    let steps = try updates.map(step)
    try park(steps.filter { !$0.constraints.isEmpty })
    for step in steps { try write(step) }
  }

  private func step(_ update: StoreUpdate) throws -> Step {
    let identifier = update.identifier
    guard let key = identifier.integerKey else {
      throw missing(identifier)
    }
    let plan = try catalog.writePlan(of: identifier.entityName)
    let names = Set(
      update.changes.compactMap { change in
        plan.map.entity.properties.indices.contains(change.index)
          ? plan.map.entity.properties[change.index].name : nil
      }
    )
    guard names.count == update.changes.count else {
      throw DataStoreError(
        .invalidValue,
        "the update names a property that the entity lacks, or names one twice",
        entity: identifier.entityName
      )
    }
    return Step(
      key: key,
      plan: plan,
      update: update,
      constraints: plan.constraints.filter { !names.isDisjoint(with: $0.properties) }
    )
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
    var columns: [(value: StoreValue, column: WriteColumn)] = []
    var hasLists = false
    for change in step.update.changes {
      switch map.places[change.index] {
      case .column:
        if let column = step.plan.column(of: change.index) {
          columns.append((change.value, column))
        }
      case .join(let join):
        hasLists = true
        lists.append(
          WaitingList(
            owner: step.key,
            join: join,
            value: change.value,
            entity: map.entity,
            property: change.index
          )
        )
      case .nowhere: continue
      }
    }
    if columns.isEmpty, !hasLists {
      guard try finder.exists(step.key, in: map.table) else {
        throw missing(step.update.identifier)
      }
      return
    }
    try write(columns, step)
    if step.plan.hasReferences { written[map.table.name, default: []].append(step.key) }
  }

  private func write(
    _ columns: [(value: StoreValue, column: WriteColumn)],
    _ step: Step
  ) throws {
    let sql = WritePlan.change(of: step.plan.map.table, columns.map(\.column.map))
    forgetWaiting(step.key, columns.map(\.column.map))
    try search.note(step.key, step.plan.map.table.liveSearchIndexes, columns.map(\.column.map))
    try connection.withStatement(sql) { statement in
      for (index, entry) in columns.enumerated() {
        let isBound = try bind(entry.value, to: entry.column, step.plan, statement, at: index + 1)
        guard !isBound else { continue }
        waiting.append(
          WaitingValue(key: step.key, plan: step.plan, column: entry.column, value: entry.value)
        )
      }
      try statement.bind(version, at: columns.count + 1)
      try statement.bind(step.key, at: columns.count + 2)
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
    throw DataStoreError(
      .uniqueConflict,
      "the objects \(step.key) and \(other) would have the same values of "
        + "\(constraint.properties.joined(separator: ", ")); change one of them",
      entity: constraint.entity,
      property: constraint.properties.count == 1 ? constraint.properties[0] : nil
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
