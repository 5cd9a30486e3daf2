import PostgreSQLClient
import SQLTranslation
import StoreHelpers
import StoreProtocol

/// The changed rows of a save that are written without the values that they had.
///
/// Only relationships and unique values can depend on other rows, and neither is changed.
struct UpdatedRows {
  /// The changed rows, without those of ``remaining``.
  private var updated: [RowRun] = []
  /// The changes of rows whose other values must be known.
  private(set) var remaining: [StoreUpdate] = []

  /// The statements that change the rows.
  private(set) var statements: [Statement] = []
  /// The checks that the rows are stored, and that their other values need not be known.
  private(set) var checks: [RowCheck] = []
  private let map: StoreMap

  /// Takes the changed rows out of a batch, all or none.
  ///
  /// - Parameters:
  ///   - batch: The batch.
  ///   - mayMerge: Whether new rows of the batch can become updates, which may change other rows.
  ///   - options: The options of the history: that of values has those of the rows before.
  ///   - map: The schema.
  init(of batch: inout StoreChanges, mayMerge: Bool, _ options: HistoryOptions, _ map: StoreMap) {
    self.map = map
    guard !mayMerge, options.content != .values, batch.expectedVersions.isEmpty,
      batch.updates.allSatisfy({ map.changesAttributes($0) }),
      map.writesAlone(batch.updates, batch.deleted.isEmpty)
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
  mutating func assume(save: Int64) throws -> Bool {
    for run in updated where try !write(run, save: save) {
      (statements, checks) = ([], [])
      return false
    }
    return true
  }

  /// Creates the statements of the changed rows.
  ///
  /// - Parameters:
  ///   - results: The results of ``requests()``.
  ///   - deleted: The rows that the save deletes.
  ///   - save: The number of the save.
  /// - Throws: ``DataStoreError/conflict`` if a row no longer exists.
  mutating func prepare(
    _ results: some Sequence<QueryResult>,
    deleted: Set<Int64>,
    save: Int64
  ) throws {
    var direct: [RowRun] = []
    for (source, result) in zip(updated, results) {
      try check(source, result, deleted)
      let isRespelled = try (0..<result.rowCount).contains { row in
        try result.value(row, 1, as: Bool.self) == true
      }
      if try !isRespelled && write(source, save: save) {
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

  /// Creates the statements of a run; returns `false`, without statements, if some rows must be
  /// written as whole ones.
  private mutating func write(_ run: RowRun, save: Int64) throws -> Bool {
    let table = try map.table(of: run.entityName)
    let positions = table.positions[run.entityName] ?? []
    let keys = run.identifiers.numbers
    let columns = run.properties.map { positions[$0] }
    let rows = TableRows(of: table, columns: columns, map, replacing: true)
    let values = run.values(for: try map.catalog.schema.requiredEntity(run.entityName))
    for (position, key) in keys.enumerated() {
      try rows.add(position, of: values, run.entityName, key: key, version: save)
      guard !rows.needsWholeRows else { return false }
    }
    statements += try rows.finish()
    checks.append(
      RowCheck(
        RowRequest(table, isIn: keys),
        count: run.count,
        changed: run.count,
        where: table.hasStrings ? "_spelling IS NULL" : "true"
      )
    )
    return true
  }

  /// Adds the rows to the history of the save.
  func record(in recorder: inout HistoryRecorder) {
    for run in updated {
      guard let entity = map.schema.entity(named: run.entityName) else { continue }
      recorder.record(.update, run.identifiers.numbers, of: entity, run.properties)
    }
  }
}

extension StoreMap {
  fileprivate func tables(_ run: RowRun) -> EntityTable? { try? table(of: run.entityName) }

  /// Whether a run changes attributes only.
  fileprivate func changesAttributes(_ run: RowRun) -> Bool {
    guard let entity = schema.entity(named: run.entityName), !run.properties.isEmpty else {
      return false
    }
    return run.properties.allSatisfy(entity.isAttribute)
  }

  /// Whether changes of attributes depend on no other row.
  ///
  /// No two are of one row, no unique value can change, and no row can lose a reference.
  fileprivate func writesAlone(_ runs: [RowRun], _ deletesNone: Bool) -> Bool {
    var keys: Set<Int64> = []
    return runs.allSatisfy { run in
      guard let own = run.identifiers.keys, let table = tables(run), !table.isShared,
        table.constraints.isEmpty, deletesNone || !table.hasRelationships(of: run.entityName)
      else { return false }
      return own.allSatisfy { keys.insert($0).inserted }
    }
  }
}

extension StoreEntity {
  fileprivate func isAttribute(_ index: Int) -> Bool {
    properties.indices.contains(index) && properties[index].relationship == nil
  }
}
