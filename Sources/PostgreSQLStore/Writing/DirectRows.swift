import PostgreSQLClient
import SQLTranslation
import StoreHelpers
import StoreProtocol

/// The rows of a save that are written without the values that they had.
///
/// Only relationships and unique values can depend on other rows. New rows have none
/// (``EntityTable/hasIndependentRows(of:)``), and of changed rows neither is changed.
struct DirectRows {
  /// The new rows.
  private var inserted: [RowRun] = []
  /// The changed rows, without those of ``remaining``.
  private var updated: [RowRun] = []
  /// The changes of rows whose other values must be known.
  private(set) var remaining: [StoreUpdate] = []
  /// The keys of the first new row of each run.
  private(set) var firstKeys: [Int64] = []

  private let map: StoreMap
  private var changes: [Change] = []

  /// The statements that change rows, and the check that the rows exist and that their other values
  /// need not be known.
  private struct Change {
    var statements: [Statement] = []
    let check: RowCheck
  }

  /// Takes rows out of a batch: all new ones or none, and all changed ones or none.
  init(of batch: inout StoreChanges, _ options: HistoryOptions, _ map: StoreMap) {
    self.map = map
    // The history of values has those of the rows before and after the save. Other new rows get
    // their keys in the order of the batch, and changes may refer to them.
    guard options.content != .values, batch.keys.isEmpty, batch.nextKey == nil,
      batch.updates.allSatisfy({ map.changesAttributes($0) })
    else { return }
    let areIndependent = batch.insertions.allSatisfy { run in
      map.tables(run)?.hasIndependentRows(of: run.entityName) == true
    }
    guard areIndependent else { return }
    swap(&inserted, &batch.insertions)
    guard batch.expectedVersions.isEmpty, map.writesAlone(batch.updates, batch.deleted.isEmpty)
    else { return }
    swap(&updated, &batch.updates)
  }

  /// Returns the statements that read which of the changed rows exist.
  func requests() throws -> [Statement] {
    try updated.map { source in
      let table = try map.table(of: source.entityName)
      let spelling = table.hasStrings ? "_spelling IS NOT NULL" : "false"
      return RowRequest(table, isIn: source.identifiers.numbers)
        .statement(selecting: "_key, \(spelling)")
    }
  }

  /// Creates the statements of the changed rows.
  ///
  /// - Parameter save: The number of the save.
  /// - Returns: `false`, without statements, if the new values already show that others must be known.
  /// - Throws: The error of a value that cannot be stored.
  mutating func assumeUpdates(save: Int64) throws -> Bool {
    let changes = try updated.mapUnlessNil { try change(of: $0, save: save) }
    self.changes = changes ?? []
    return changes != nil
  }

  /// Creates the statements of the changed rows.
  ///
  /// - Parameters:
  ///   - results: The results of ``requests()``.
  ///   - deleted: The rows that the save deletes.
  ///   - save: The number of the save.
  /// - Throws: ``DataStoreError/conflict`` if a row no longer exists.
  mutating func prepareUpdates(
    _ results: some Sequence<QueryResult>,
    deleted: [PersistentIdentifier],
    save: Int64
  ) throws {
    let deleted = Set(deleted.compactMap(\.integerKey))
    var direct: [RowRun] = []
    for (source, result) in zip(updated, results) {
      try check(source, result, deleted)
      let change = try change(of: source, save: save)
      let isRespelled = try (0..<result.rowCount).contains { row in
        try result.value(row, 1, as: Bool.self) == true
      }
      if let change, !isRespelled {
        changes.append(change)
        direct.append(source)
      } else {
        remaining += source.updates
      }
    }
    updated = direct
  }

  private func check(
    _ run: RowRun,
    _ result: QueryResult,
    _ deleted: Set<Int64>
  ) throws {
    guard result.rowCount < run.count || !deleted.isEmpty else { return }
    let found = try (0..<result.rowCount).compactMap { try result.value($0, 0, as: Int64.self) }
    let stored = Set(found).subtracting(deleted)
    let missing = run.identifiers.numbers.firstIndex { !stored.contains($0) }
    if let missing { throw DataStoreError.missingRow(run.identifiers[missing]) }
  }

  /// Returns the change of the rows of a run, or `nil` if some must be written as whole rows.
  private func change(of run: RowRun, save: Int64) throws -> Change? {
    let table = try map.table(of: run.entityName)
    let positions = table.positions[run.entityName] ?? []
    let keys = run.identifiers.numbers
    let columns = run.properties.compactMap { positions[$0] }
    let rows = TableRows(of: table, columns: columns, map)
    let values = run.values(for: try map.catalog.entity(named: run.entityName))
    var change = Change(
      check: RowCheck(
        RowRequest(table, isIn: keys),
        count: run.count,
        changed: run.count,
        where: table.hasStrings ? "_spelling IS NULL" : "true"
      )
    )
    for (position, key) in keys.enumerated() {
      try rows.add(position, of: values, run.entityName, key: key, version: save)
      guard !rows.needsWholeRows else { return nil }
      if rows.areFull || position == keys.count - 1 {
        change.statements += try rows.takeStatements(replacing: true)
      }
    }
    return change
  }

  /// Assigns keys to the new rows, and returns the key after them.
  mutating func assignKeys(from next: Int64) -> Int64 {
    var key = next
    for source in inserted {
      firstKeys.append(key)
      key += Int64(source.count)
    }
    return key
  }

  /// Names the new rows of runs that need it.
  func name(in result: inout StoreChangesResult) throws {
    for (run, firstKey) in zip(inserted, firstKeys) where run.needsNames {
      for (key, identifier) in zip(firstKey..., run.identifiers) {
        result.remapped[identifier] = PersistentIdentifier(
          scope: try map.scope(of: run.entityName),
          key: .integer(key)
        )
      }
    }
  }

  /// Adds the rows to the history of the save.
  func record(in recorder: inout HistoryRecorder) {
    for run in updated {
      guard let entity = map.schema.entity(named: run.entityName) else { continue }
      recorder.update(run.identifiers.numbers, of: entity, run.properties)
    }
    for (run, key) in zip(inserted, firstKeys) {
      recorder.insert(key..<key + Int64(run.count), of: run.entityName)
    }
  }

  /// Returns the statements that write the rows.
  func statements(save: Int64) throws -> [Statement] {
    var statements = changes.flatMap(\.statements)
    for (run, firstKey) in zip(inserted, firstKeys) {
      let rows = TableRows(of: try map.table(of: run.entityName), map)
      let values = run.values(for: try map.catalog.entity(named: run.entityName))
      for position in 0..<run.count {
        let key = firstKey + Int64(position)
        try rows.add(position, of: values, run.entityName, key: key, version: save)
        if rows.areFull || position == run.count - 1 {
          statements += try rows.takeStatements(replacing: false)
        }
      }
    }
    return statements
  }

  /// Returns the checks that the rows are stored.
  func checks() throws -> [RowCheck] {
    let insertions = try zip(inserted, firstKeys).compactMap { source, key -> RowCheck? in
      let count = source.count
      guard count > 0 else { return nil }
      let rows = RowRequest(try map.table(of: source.entityName), keys: key..<key + Int64(count))
      return RowCheck(rows, count: count, changed: count)
    }
    return changes.map(\.check) + insertions
  }
}

extension StoreMap {
  fileprivate func tables(_ run: RowRun) -> EntityTable? { try? table(of: run.entityName) }

  /// Whether a run changes attributes only.
  fileprivate func changesAttributes(_ run: RowRun) -> Bool {
    guard let entity = schema.entity(named: run.entityName), !run.properties.isEmpty else {
      return false
    }
    return run.properties.allSatisfy(entity.isStoredAttribute)
  }

  /// Whether changes of attributes depend on no other row.
  ///
  /// No two are of one row, no unique value can change, and no row can lose a reference.
  fileprivate func writesAlone(_ runs: [RowRun], _ deletesNone: Bool) -> Bool {
    var keys: Set<Int64> = []
    return runs.allSatisfy { run in
      guard let own = run.identifiers.keys, let table = tables(run), !table.isShared,
        table.constraints.isEmpty, deletesNone || table.hasIndependentRows(of: run.entityName)
      else { return false }
      return own.allSatisfy { keys.insert($0).inserted }
    }
  }
}

extension StoreEntity {
  fileprivate func isStoredAttribute(_ index: Int) -> Bool {
    properties.indices.contains(index) && properties[index].relationship == nil
      && !properties[index].isEphemeral
  }
}
