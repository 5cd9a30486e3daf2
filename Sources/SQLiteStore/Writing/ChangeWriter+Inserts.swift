import StoreProtocol

/// New rows, in the order in which they were given.
extension ChangeWriter {
  func insert(_ records: [DefaultSnapshot]) throws {
    try assignKeys(records)
    var start = records.startIndex
    while start < records.endIndex {
      let name = records[start].persistentIdentifier.entityName
      var end = start + 1
      while end < records.endIndex, records[end].persistentIdentifier.entityName == name {
        end += 1
      }
      try insert(records[start..<end], try catalog.writePlan(of: name))
      start = end
    }
  }

  /// Gives all keys at once where no record can turn out to be a stored row, so that no reference
  /// has to wait.
  private func assignKeys(_ records: [DefaultSnapshot]) throws {
    for record in records {
      let plan = try catalog.writePlan(of: record.persistentIdentifier.entityName)
      if !plan.constraints.isEmpty { return }
    }
    for record in records {
      let identifier = record.persistentIdentifier
      try remap(
        identifier,
        to: takeKey(),
        entity: identifier.entityName,
        isMerged: false
      )
    }
  }

  /// Inserts records of one entity with one statement.
  private func insert(_ records: ArraySlice<DefaultSnapshot>, _ plan: WritePlan) throws {
    try connection.withStatement(plan.insertion) { statement in
      for record in records {
        let values = record.aligned(to: plan.map.entity)
        let temporary = record.persistentIdentifier
        if let key = keys[temporary] {
          try insert(values, key, plan, statement)
        } else if let row = try finder.row(
          equalTo: constraintValues(values, plan),
          plan
        ) {
          try merge(values, into: row, plan)
          try remap(temporary, to: row.key, entity: row.entity, isMerged: true)
        } else {
          let key = try takeKey()
          try remap(temporary, to: key, entity: temporary.entityName, isMerged: false)
          try insert(values, key, plan, statement)
        }
      }
    }
  }

  private func insert(
    _ values: [StoreValue],
    _ key: Int64,
    _ plan: WritePlan,
    _ statement: Statement
  ) throws {
    try statement.bind(key, at: 1)
    var index = 2
    if let name = plan.entityName {
      try statement.bind(name, at: index)
      index += 1
    }
    for (property, column) in plan.columns {
      let isBound = try bind(
        values[property],
        of: property,
        to: column,
        in: plan.map,
        statement,
        at: index
      )
      if !isBound { wait(for: values[property], property, column, key, plan) }
      index += 1
    }
    try statement.run()
    noteLists(values, key, plan)
    written[plan.map.table.name, default: []].append(key)
  }

  /// Writes a new record's values over those of the stored row that it equals.
  private func merge(
    _ values: [StoreValue],
    into row: UniqueFinder.Row,
    _ plan: WritePlan
  ) throws {
    let target = try catalog.writePlan(of: row.entity)
    // A row of another entity of the hierarchy takes over what both have.
    let shared = plan.columns.filter { entry in
      row.entity == plan.map.entity.name
        || target.columns.contains { $0.column == entry.column }
    }
    if let sql = WritePlan.update(of: plan.map.table, shared.map(\.column)) {
      try connection.withStatement(sql) { statement in
        for (index, entry) in shared.enumerated() {
          let isBound = try bind(
            values[entry.property],
            of: entry.property,
            to: entry.column,
            in: plan.map,
            statement,
            at: index + 1
          )
          if !isBound {
            wait(for: values[entry.property], entry.property, entry.column, row.key, plan)
          }
        }
        try statement.bind(row.key, at: shared.count + 1)
        try statement.run()
      }
    }
    noteLists(values, row.key, plan)
    written[plan.map.table.name, default: []].append(row.key)
  }

  /// The values of each constraint, nil where one of them refers to a row that is not there yet.
  private func constraintValues(
    _ values: [StoreValue],
    _ plan: WritePlan
  ) throws -> [[SQLValue]?] {
    try plan.constraints.map { constraint in
      try self.values(of: constraint, in: plan.map) { values[$0] }
    }
  }

  /// The stored forms of a constraint's values, nil where one of them has no form yet.
  func values(
    of constraint: ConstraintMap,
    in map: EntityMap,
    _ value: (Int) -> StoreValue
  ) throws -> [SQLValue]? {
    var found: [SQLValue] = []
    for (name, column) in zip(constraint.properties, constraint.columns) {
      guard let property = map.entity.indexByName[name] else { return nil }
      switch (column.content, value(property)) {
      case (.value(let type), let value):
        guard let stored = try? SQLValue(value, as: type) else {
          throw misfit(value, property, map.entity)
        }
        found.append(stored)
      case (_, .identifier(let identifier)):
        guard let key = identifier.integerKey ?? keys[identifier] else { return nil }
        found.append(.integer(key))
      default: return nil
      }
    }
    return found
  }

  private func wait(
    for value: StoreValue,
    _ property: Int,
    _ column: ColumnMap,
    _ key: Int64,
    _ plan: WritePlan
  ) {
    waiting.append(
      WaitingValue(
        key: key,
        table: plan.map.table,
        column: column,
        value: value,
        entity: plan.map.entity,
        property: property
      )
    )
  }

  private func noteLists(_ values: [StoreValue], _ key: Int64, _ plan: WritePlan) {
    for (property, join) in plan.joins {
      lists.append(
        WaitingList(
          owner: key,
          join: join,
          value: values[property],
          entity: plan.map.entity,
          property: property
        )
      )
    }
  }
}

extension DefaultSnapshot {
  /// The values in the order of an entity's properties, null where the record has none.
  fileprivate func aligned(to entity: StoreEntity) -> [StoreValue] {
    if names == PropertyNames.of(entity), values.count == entity.properties.count { return values }
    return entity.properties.map { self[$0.name] ?? .null }
  }
}
