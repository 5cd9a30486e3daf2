import StoreHelpers
import StoreProtocol

/// Deletions of rows; the effects of delete rules on other rows are decided by the caller, or left
/// to SQLite.
extension ChangeWriter {
  func delete(
    _ identifiers: [PersistentIdentifier],
    _ protection: ReferenceProtection? = nil
  ) throws {
    try noteDeletion(of: identifiers, protection)
    for (entity, range) in identifiers.entityRuns() {
      let plan = try catalog.writePlan(of: entity)
      try delete(identifiers[range].compactMap(\.integerKey), by: plan)
    }
  }

  private func delete(_ keys: [Int64], by plan: WritePlan) throws {
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
        recorder?.delete(range, of: plan.map.entity.name)
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
    recorder?.delete(removed, of: plan.map.entity.name)
  }
}

extension [PersistentIdentifier] {
  /// Returns the runs of consecutive identifiers of one entity, in order.
  ///
  /// The batch of a save is mostly of one entity. So data of an entity is looked up once a run and
  /// not once a row.
  func entityRuns() -> [(entity: String, range: Range<Int>)] {
    var runs: [(entity: String, range: Range<Int>)] = []
    var start = startIndex
    while start < endIndex {
      let first = self[start].scope
      var end = start + 1
      while end < endIndex {
        let next = self[end].scope
        guard next === first || next.entityName == first.entityName else { break }
        end += 1
      }
      runs.append((first.entityName, start..<end))
      start = end
    }
    return runs
  }
}
