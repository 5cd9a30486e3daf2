import SQLTranslation
import StoreHelpers
import StoreProtocol

/// New rows, in the order of their records.
extension ChangeWriter {
  func insert(_ records: [DefaultSnapshot]) throws {
    let runs = try runs(records)
    // If no record can equal a stored row, all keys are assigned first, so that no reference has to
    // wait. Keys that are given need not be consecutive.
    guard givenKeys.isEmpty, runs.allSatisfy(\.plan.constraints.isEmpty) else {
      for run in runs { try insertOrMerge(records[run.range], run.plan) }
      return
    }
    let firstKeys = try runs.map { try assignKeys(records[$0.range], $0.plan) }
    for (run, firstKey) in zip(runs, firstKeys) {
      try insert(records[run.range], run.plan, firstKey: firstKey)
    }
  }

  /// Consecutive records of one entity.
  private typealias Run = (range: Range<Int>, plan: WritePlan)

  private func runs(_ records: [DefaultSnapshot]) throws -> [Run] {
    try records.entityRuns(\.persistentIdentifier.scope).map { entity, range in
      (range, try catalog.writePlan(of: entity))
    }
  }

  /// Assigns consecutive keys to the records, and returns the first one.
  private func assignKeys(
    _ records: ArraySlice<DefaultSnapshot>,
    _ plan: WritePlan
  ) throws -> Int64 {
    let first = try takeKeys(records.count)
    var key = first
    for record in records {
      remap(record.persistentIdentifier, to: key, scope: plan.scope, isMerged: false)
      key += 1
    }
    return first
  }

  /// Inserts records of one entity that no stored row can equal.
  private func insert(
    _ records: ArraySlice<DefaultSnapshot>,
    _ plan: WritePlan,
    firstKey: Int64
  ) throws {
    try connection.withStatement(plan.insertion) { statement in
      var key = firstKey
      // Comparing lists of names once is enough: records of one entity share theirs.
      var alignedNames: PropertyNames?
      for record in records {
        if record.names === alignedNames, record.values.count == plan.map.entity.properties.count {
          try insert(record.values, key, plan, statement)
        } else {
          try insert(record.aligned(to: plan.map.entity), key, plan, statement)
          if record.isAligned(to: plan.map.entity) { alignedNames = record.names }
        }
        key += 1
      }
    }
    let keys = firstKey..<(firstKey + Int64(records.count))
    recorder?.insert(keys, of: plan.map.entity.name)
    noteWritten(keys, plan)
  }

  /// Inserts records of one entity, or merges them into the stored rows that they equal.
  private func insertOrMerge(_ records: ArraySlice<DefaultSnapshot>, _ plan: WritePlan) throws {
    try connection.withStatement(plan.insertion) { statement in
      for record in records {
        let values = record.aligned(to: plan.map.entity)
        let temporary = record.persistentIdentifier
        let key: Int64
        if let row = try finder.row(equalTo: constraintValues(values, plan), plan) {
          try noteMerge(row, plan)
          try merge(values, into: row, plan)
          key = row.key
          remap(temporary, to: key, scope: try catalog.scope(of: row.entity), isMerged: true)
        } else {
          key = try takeKey(for: record)
          recorder?.insert(key, of: plan.map.entity.name)
          remap(temporary, to: key, scope: plan.scope, isMerged: false)
          try insert(values, key, plan, statement)
        }
        noteWritten(CollectionOfOne(key), plan)
        finder.noteWritten(key, plan.constraints)
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
    if let name = plan.entityName { try statement.bind(name, at: 2) }
    var index = plan.firstColumn
    try statement.bind(version, at: index - 1)
    for column in plan.columns {
      let isBound = try bind(values[column.property], to: column, plan, statement, at: index)
      if !isBound { wait(for: values[column.property], column, key, plan) }
      index += 1
    }
    try statement.run()
    for (property, index) in plan.searches { try search.insert(values[property], key, into: index) }
    if !plan.joins.isEmpty { noteLists(values, key, plan) }
  }

  /// Overwrites the values of the stored row that a new record equals.
  private func merge(
    _ values: [StoreValue],
    into row: UniqueFinder.Row,
    _ plan: WritePlan
  ) throws {
    let target = try catalog.writePlan(of: row.entity)
    // A row of another entity of the hierarchy gets the values that both have.
    let shared = plan.columns.filter { entry in
      target === plan || target.columns.contains { $0.map == entry.map }
    }
    try noteCounterparts(of: row.key, values, shared, plan)
    let plain = shared.filter { !$0.map.isOrder }
    forgetWaiting(row.key, plain.map(\.map))
    try search.note(row.key, plan.map.table.liveSearchIndexes, plain.map(\.map))
    try releaseFiles(of: row.key, in: plan.map.table, plain.map(\.map))
    let sql = WritePlan.change(of: plan.map.table, plain.map(\.map))
    try connection.withStatement(sql) { statement in
      for (index, column) in plain.enumerated() {
        let value = values[column.property]
        let isBound = try bind(value, to: column, plan, statement, at: index + 1)
        if !isBound { wait(for: value, column, row.key, plan) }
      }
      try statement.bind(version, at: plain.count + 1)
      try statement.bind(row.key, at: plain.count + 2)
      try statement.run()
    }
    for column in shared where column.map.isOrder && !values[column.property].isNull {
      wait(for: values[column.property], column, row.key, plan, isAddition: true)
    }
    noteLists(values, row.key, plan, areAdditions: true)
  }

  /// Returns the values of each constraint, or `nil` for one that refers to a row that is not
  /// stored yet.
  private func constraintValues(
    _ values: [StoreValue],
    _ plan: WritePlan
  ) throws -> [[SQLValue]?] {
    try plan.constraints.map { constraint in
      try zip(constraint.properties, constraint.columns).mapUnlessNil { name, column in
        guard let property = plan.map.entity.indexByName[name] else { return nil }
        return try uniqueValue(values[property], of: property, plan.map.entity, column)
      }
    }
  }

  /// Returns the stored form of one of a constraint's values, or `nil` if it has none yet.
  func uniqueValue(
    _ value: StoreValue,
    of property: Int,
    _ entity: StoreEntity,
    _ column: ColumnMap
  ) throws -> SQLValue? {
    switch (column.content, value) {
    case (.value(let type), _):
      if let stored = try? SQLValue(value, as: type) { return stored }
      throw mismatch(value, property, entity)
    case (.reference(let table, _), .identifier(let identifier)):
      return try uniqueKey(of: identifier, in: table).map(SQLValue.integer)
    default: return nil
    }
  }

  /// Returns the key of a reference among unique values, or `nil` if it refers to no row.
  ///
  /// Such references are equal to none.
  func uniqueKey(
    of identifier: PersistentIdentifier,
    in name: String
  ) throws -> Int64? {
    if let key = identifier.integerKey {
      guard let table = catalog.map.table(named: name) else { return nil }
      return try finder.exists(key, in: table) ? key : nil
    }
    let key = key(of: identifier)
    if key == nil { guessed = true }
    return key
  }

  func wait(
    for value: StoreValue,
    _ column: WriteColumn,
    _ key: Int64,
    _ plan: WritePlan,
    isAddition: Bool = false
  ) {
    waiting.append(
      WaitingValue(key: key, plan: plan, column: column, value: value, isAddition: isAddition)
    )
  }

  /// Records rows that may refer to rows that do not exist.
  func noteWritten(_ keys: some Sequence<Int64>, _ plan: WritePlan) {
    guard plan.hasReferences else { return }
    written[plan.map.table.name, default: []].append(contentsOf: keys)
  }

  private func noteLists(
    _ values: [StoreValue],
    _ key: Int64,
    _ plan: WritePlan,
    areAdditions: Bool = false
  ) {
    for (property, join) in plan.joins {
      lists.append(
        WaitingList(
          owner: key,
          join: join,
          value: values[property],
          entity: plan.map.entity,
          property: property,
          isAddition: areAdditions
        )
      )
    }
  }
}

extension DefaultSnapshot {
  /// Returns the values in the order of an entity's properties, null if the record has none.
  fileprivate func aligned(to entity: StoreEntity) -> [StoreValue] {
    if isAligned(to: entity) { return values }
    return entity.properties.map { self[$0.name] ?? .null }
  }
}
