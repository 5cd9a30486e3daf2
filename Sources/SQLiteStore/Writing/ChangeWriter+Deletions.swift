import StoreHelpers
import StoreProtocol

/// Deletions of rows; the effects of delete rules on other rows are decided by the caller, or left
/// to SQLite.
extension ChangeWriter {
  func delete(
    _ identifiers: [PersistentIdentifier],
    _ protection: ReferenceProtection? = nil
  ) throws {
    let runs = try rows(of: identifiers)
    try noteDeletion(of: runs, protection)
    for run in runs { try delete(run.keys, by: run.plan) }
  }

  /// Returns the rows of identifiers in runs of one entity, in order.
  ///
  /// The batch of a save is mostly of one entity. So data of an entity is looked up once a run and
  /// not once a row.
  func rows(of identifiers: [PersistentIdentifier]) throws -> [BulkRows] {
    var runs: [BulkRows] = []
    var last: PersistentIdentifier.Scope?
    for identifier in identifiers {
      if identifier.scope !== last {
        last = identifier.scope
        let plan = try catalog.writePlan(of: identifier.entityName)
        if runs.last?.plan !== plan { runs.append(BulkRows(plan: plan)) }
      }
      if let key = identifier.integerKey { runs[runs.count - 1].keys.append(key) }
    }
    return runs
  }

  /// Deletes the rows of keys, whose deletion was noted.
  func delete(_ keys: [Int64], by plan: WritePlan) throws {
    let table = plan.map.table
    if plan.needsRowsOneByOne {
      for key in keys {
        for index in table.liveSearchIndexes { try search?.note(key, index) }
        try releaseFiles(of: key, in: table)
      }
    }
    var single: [Int64] = []
    for range in KeyRanges(keys).ranges {
      if try range.count > 1 && areAllStored(range, plan) {
        let (first, last) = (range.lowerBound, range.upperBound)
        try connection.run(plan.rangeDeletion, .integer(first), .integer(last))
        recorder?.record(.delete, Array(range), of: plan.map.entity)
      } else {
        single += range
      }
    }
    try deleteOneByOne(single, by: plan)
  }

  /// Whether each key of a range has a row, so that one statement deletes all of these rows.
  private func areAllStored(_ range: ClosedRange<Int64>, _ plan: WritePlan) throws -> Bool {
    let (first, last) = (SQLValue.integer(range.lowerBound), SQLValue.integer(range.upperBound))
    let count = try connection.first(plan.rangeCount, first, last) { $0.integer(at: 0) }
    return count == Int64(range.count)
  }

  private func deleteOneByOne(_ keys: [Int64], by plan: WritePlan) throws {
    if keys.isEmpty { return }
    var removed: [Int64] = []
    try connection.withStatement(plan.deletion) { statement in
      for key in keys {
        try statement.bind(key, at: 1)
        try statement.run()
        if connection.changedRowCount > 0 { removed.append(key) }
      }
    }
    recorder?.record(.delete, removed, of: plan.map.entity)
  }
}
