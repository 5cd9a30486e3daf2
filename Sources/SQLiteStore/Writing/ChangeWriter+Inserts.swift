import SQLTranslation
import StoreHelpers
import StoreProtocol

/// New rows, in the order of their runs.
extension ChangeWriter {
  func insert(_ runs: [RowRun]) throws {
    let planned = try runs.map { ($0, try catalog.writePlan(of: $0.entityName)) }
    // Rows that can equal stored ones, or have keys that need not follow each other, are written one by
    // one.
    let mayMerge = planned.map { !givenKeys.isEmpty || !$1.constraints.isEmpty }
    guard mayMerge.contains(true) else {
      // All keys are assigned first, so that no reference has to wait.
      let firstKeys = try planned.map(assignKeys)
      for ((run, plan), firstKey) in zip(planned, firstKeys) {
        try insert(run, plan, firstKey: firstKey)
      }
      return
    }
    for ((run, plan), mayMerge) in zip(planned, mayMerge) {
      if mayMerge {
        try insertOrMerge(run, plan)
      } else {
        try insert(run, plan, firstKey: assignKeys(run, plan))
      }
    }
  }

  /// Assigns consecutive keys to the rows of a run, and returns the first.
  private func assignKeys(_ run: RowRun, _ plan: WritePlan) throws -> Int64 {
    let first = try takeKeys(run.count)
    result.firstKeys.append(first)
    guard newKeys != nil || run.needsNames else { return first }
    for position in 0..<run.count { noteKey(first + Int64(position), position, of: run, plan) }
    return first
  }

  /// Inserts rows that no stored row can equal.
  private func insert(_ run: RowRun, _ plan: WritePlan, firstKey: Int64) throws {
    try connection.withStatement(plan.insertion) { statement in
      let row = try RowBinder(run, plan, statement, self)
      for position in 0..<run.count {
        let key = firstKey + Int64(position)
        try row.bind(position)
        try statement.bind(key, at: 1)
        try statement.run()
        if !row.isComplete { try row.finish(key) }
      }
    }
    let keys = firstKey..<(firstKey + Int64(run.count))
    recorder?.record(.insert, Array(keys), of: plan.map.entity)
    if plan.hasReferences { noteWritten(keys, plan) }
  }

  /// Inserts rows, or merges them into the stored rows that they equal.
  ///
  /// The unique index finds equal rows while it inserts, which costs nothing if there are none. It
  /// knows exact values only. Rows with others are compared before, as are those whose values are
  /// stored differently if they are merged.
  private func insertOrMerge(_ run: RowRun, _ plan: WritePlan) throws {
    let isCompared =
      plan.hasUniqueReferences || !givenKeys.isEmpty || plan.columns.contains(where: \.isExternal)
    let isNamed = newKeys != nil || run.needsNames || !givenKeys.isEmpty
    lazy var values = RecordWriter(plan.map.entity, in: nil)
    result.firstKeys.append(try nextKey())
    var keys: [Int64] = []
    try connection.withStatement(plan.insertionIfNew) { statement in
      let row = try RowBinder(run, plan, statement, self)
      func merge(_ position: Int) throws -> Bool {
        values.read(position, of: row.producer)
        return try self.merge(values.values, position, of: run, plan)
      }
      for position in 0..<run.count {
        if !isCompared { try row.bind(position) }
        if try isCompared || finder.hasInexactValues(plan), try merge(position) { continue }
        if isCompared { try row.bind(position) }
        let key = try givenKeys.isEmpty ? freeKey : givenKey(of: run, position)
        try statement.bind(key, at: 1)
        try statement.run()
        if connection.changedRowCount == 0 {
          guard try merge(position) else { throw Self.unknownEqual(plan.map.entity) }
          continue
        }
        freeKey += 1
        if isNamed { noteKey(key, position, of: run, plan) }
        if !row.isComplete { try row.finish(key) }
        if plan.hasUniqueReferences { try noteLostReference(of: key, plan.map) }
        finder.noteWritten(key, plan.constraints)
        keys.append(key)
      }
    }
    guard !keys.isEmpty else { return }
    recorder?.record(.insert, keys, of: plan.map.entity)
    if plan.hasReferences { noteWritten(keys, plan) }
  }

  /// The error of a row that an index of another program refuses.
  private static func unknownEqual(_ entity: StoreEntity) -> DataStoreError {
    DataStoreError(
      .uniqueConflict,
      "the database did not insert a new row, because an index or a trigger that another program has "
        + "added refuses it; remove it",
      entity: entity.name
    )
  }

  /// Merges a row into the stored row that it equals, or returns `false` if there is none.
  private func merge(
    _ values: [StoreValue],
    _ position: Int,
    of run: RowRun,
    _ plan: WritePlan
  ) throws -> Bool {
    guard let row = try finder.row(equalTo: constraintValues(values, plan), plan) else {
      return false
    }
    try noteMerge(row, plan)
    try merge(values, into: row, plan)
    try noteMerge(position, of: run, into: row)
    if plan.hasReferences { noteWritten(CollectionOfOne(row.key), plan) }
    try noteLostReference(of: row.key, plan.map)
    finder.noteWritten(row.key, plan.constraints)
    return true
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
    try search?.note(row.key, plan.map.table.liveSearchIndexes, plain.map(\.map))
    try releaseFiles(of: row.key, in: plan.map.table, plain.map(\.map))
    let sql = WritePlan.change(of: plan.map.table, plain.map(\.map))
    try connection.withStatement(sql) { statement in
      for (index, column) in plain.enumerated() {
        let value = values[column.property]
        let isBound = try bind(value, to: column, plan, statement, at: index + 1)
        if !isBound {
          waiting.append(WaitingValue(key: row.key, plan: plan, column: column, value: value))
        }
      }
      try statement.bind(version, at: plain.count + 1)
      try statement.bind(row.key, at: plain.count + 2)
      try statement.run()
    }
    for column in shared where column.map.isOrder && !values[column.property].isNull {
      let value = values[column.property]
      waiting.append(
        WaitingValue(key: row.key, plan: plan, column: column, value: value, isAddition: true)
      )
    }
    lists += plan.joins.map { property, join in
      WaitingList(
        owner: row.key,
        join: join,
        plan: plan,
        property: property,
        value: values[property],
        isAddition: true
      )
    }
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

  /// Records rows that may refer to rows that do not exist.
  func noteWritten(_ keys: some Sequence<Int64>, _ plan: WritePlan) {
    written[plan.map.table.name, default: []].append(contentsOf: keys)
  }
}
