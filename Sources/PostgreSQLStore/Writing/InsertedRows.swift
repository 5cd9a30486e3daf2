import Foundation
import PostgreSQLClient
import SQLTranslation
import StoreHelpers
import StoreProtocol

/// The new rows of a save, whose values are read from their runs while they are written.
///
/// All get their keys before any is written. A row that may have the unique values of another one
/// becomes a record, to be merged in memory.
struct InsertedRows {
  private let map: StoreMap
  private var runs: [RowRun] = []
  private var tables: [EntityTable] = []
  /// The positions of the records in each run.
  private var recorded: [Set<Int>] = []
  /// The rows to which the rows refer, or `nil` if no row of the batch refers to any.
  let references: ReferencedRows?
  /// The positions of the records in each run that become stored rows, and take no key, in order.
  private var merged: [[Int]] = []
  /// The key of the first row of each run.
  private var firstKeys: [Int64] = []
  private(set) var statements: [Statement] = []

  /// Takes the new rows out of a batch, unless their keys are given, or the history has their values.
  ///
  /// - Throws: ``DataStoreError/invalidValue`` for a reference to a new row that is not in the batch.
  init(of batch: inout StoreChanges, _ options: HistoryOptions, _ map: StoreMap) throws {
    self.map = map
    guard options.content != .values, batch.keys.isEmpty, batch.nextKey == nil else {
      references = nil
      return
    }
    runs = batch.insertions
    tables = try runs.map { try map.table(of: $0.entityName) }
    recorded = Array(repeating: [], count: runs.count)
    merged = Array(repeating: [], count: runs.count)
    let mayRefer =
      !runs.isEmpty && !batch.updates.isEmpty
      || zip(runs, tables).contains { $1.hasRelationships(of: $0.entityName) }
    references = mayRefer ? try ReferencedRows(of: runs, in: batch, map) : nil
    batch.insertions = []
  }

  /// Whether some rows can have the unique values of others.
  var canMerge: Bool { tables.contains { !$0.constraints.isEmpty } }

  // MARK: Keys

  /// Assigns consecutive keys to all rows that are not merged.
  mutating func assignKeys(from next: Int64) {
    firstKeys = []
    var key = next
    for (index, run) in runs.enumerated() {
      firstKeys.append(key)
      if let references {
        for position in 0..<run.count {
          guard let number = run.identifiers.temporaryNumber(at: position) else { continue }
          references.set(self.key(of: position, in: index), of: number)
        }
      }
      key += Int64(run.count - merged[index].count)
    }
  }

  /// Leaves out records that become stored rows, and assigns the keys anew.
  ///
  /// - Returns: The keys of the other records.
  mutating func assignKeys(
    from next: Int64,
    merging records: Set<PersistentIdentifier>
  ) -> [PersistentIdentifier: Int64] {
    for (index, run) in runs.enumerated() {
      merged[index] = recorded[index].sorted().filter { records.contains(run.identifiers[$0]) }
    }
    assignKeys(from: next)
    var keys: [PersistentIdentifier: Int64] = [:]
    for (index, run) in runs.enumerated() {
      for position in recorded[index] where !records.contains(run.identifiers[position]) {
        keys[run.identifiers[position]] = key(of: position, in: index)
      }
    }
    return keys
  }

  /// The key of a row, or of the one after it if it is merged.
  private func key(of position: Int, in index: Int) -> Int64 {
    let before = merged[index].partitioningIndex { $0 >= position }
    return firstKeys[index] + Int64(position - before)
  }

  /// The key after those of the rows.
  var nextKey: Int64? {
    guard let run = runs.last, let key = firstKeys.last else { return nil }
    return key + Int64(run.count - (merged.last?.count ?? 0))
  }

  /// The rows that new ones become, by their temporary identifiers.
  typealias Names = [PersistentIdentifier: PersistentIdentifier]

  /// Returns the new rows among those that identifiers name.
  func names(_ identifiers: [PersistentIdentifier]) throws -> Names {
    try identifiers.reduce(into: [:]) { names, identifier in
      guard identifier.isTemporary, let key = references?.row(identifier.key, in: "") else {
        return
      }
      let index = firstKeys.partitioningIndex { $0 > key } - 1
      if index >= 0 { names[identifier] = try row(key, of: runs[index]) }
    }
  }

  private func row(_ key: Int64, of run: RowRun) throws -> PersistentIdentifier {
    PersistentIdentifier(scope: try map.scope(of: run.entityName), key: .integer(key))
  }

  // MARK: Records

  /// A row, as the index of its run and its position in it.
  typealias Place = (run: Int, position: Int)

  /// Returns the rows with each set of unique values.
  func holders() throws -> [StoreConstraint: [Data: [Place]]] {
    var holders: [StoreConstraint: [Data: [Place]]] = [:]
    for (index, run) in runs.enumerated() where !tables[index].constraints.isEmpty {
      let entity = try map.catalog.schema.requiredEntity(run.entityName)
      let constraints = map.schema.constraints(of: entity).map { constraint in
        (constraint, constraint.properties.compactMap { entity.indexByName[$0] })
      }
      let values = run.values(for: entity)
      let reader = RecordWriter(entity, in: map.storeIdentifier)
      for position in 0..<run.count {
        reader.read(position, of: values)
        for (constraint, properties) in constraints {
          guard let bytes = try properties.map({ reader.values[$0] }).uniqueBytes else { continue }
          holders[constraint, default: [:]][bytes, default: []].append((index, position))
        }
      }
    }
    return holders
  }

  /// Makes records of some rows, or of all that have unique values.
  ///
  /// Where unique values refer to rows, these depend on other merges, so all rows become records. So do
  /// rows with one-to-one relationships if any row may be merged: a merge clears the reference of the
  /// former counterpart.
  ///
  /// - Returns: The records, and their keys.
  mutating func takeRecords(
    _ places: [Place],
    all: Bool
  ) throws -> [(record: DefaultSnapshot, key: Int64)] {
    for place in places { recorded[place.run].insert(place.position) }
    for (index, table) in tables.enumerated()
    where table.hasUniqueReferences || all && !table.constraints.isEmpty {
      recorded[index] = Set(0..<runs[index].count)
    }
    let mayMerge = recorded.contains { !$0.isEmpty }
    return try runs.indices.flatMap { index in
      let run = runs[index]
      let entity = try map.catalog.schema.requiredEntity(run.entityName)
      if mayMerge, !entity.oneToOneProperties.isEmpty { recorded[index] = Set(0..<run.count) }
      let values = run.values(for: entity)
      let reader = RecordWriter(entity, in: map.storeIdentifier)
      return recorded[index].sorted().map { position in
        reader.read(position, of: values)
        let record = DefaultSnapshot(
          persistentIdentifier: run.identifiers[position],
          entity: entity,
          values: reader.values
        )
        return (record, key(of: position, in: index))
      }
    }
  }

  // MARK: Writing

  /// Creates the statements that write the rows.
  ///
  /// - Parameter result: The result of the save with the rows that the records became, which gets
  ///   those of the other rows.
  /// - Throws: The error of a value that cannot be stored.
  mutating func write(_ result: inout StoreChangesResult) throws {
    for (record, row) in result.remapped {
      guard let number = record.temporaryNumber, let key = row.integerKey else { continue }
      references?.set(key, of: number)
    }
    for indices in runsByTable {
      let rows = TableRows(of: tables[indices[0]], map, replacing: false, references: references)
      for index in indices { try add(index, to: rows, &result) }
      statements += try rows.finish()
    }
    result.firstKeys = firstKeys
  }

  /// The indices of the runs of each table, in the order of their first.
  private var runsByTable: [[Int]] {
    let groups = Dictionary(grouping: runs.indices) { tables[$0].root }
    return groups.values.sorted { $0[0] < $1[0] }
  }

  private func add(
    _ index: Int,
    to rows: TableRows,
    _ result: inout StoreChangesResult
  ) throws {
    let run = runs[index]
    let values = run.values(for: try map.catalog.schema.requiredEntity(run.entityName))
    let isNamed = run.needsNames || !recorded[index].isEmpty
    for position in 0..<run.count where !recorded[index].contains(position) {
      let key = key(of: position, in: index)
      try rows.add(position, of: values, run.entityName, key: key, version: result.version)
      if isNamed { result.remapped[run.identifiers[position]] = try row(key, of: run) }
      if rows.hasLostReference { result.changedByStore.append(try row(key, of: run)) }
    }
  }

  /// Returns the keys of the rows of a run that are not records.
  private func keys(of index: Int) -> [Int64] {
    (0..<runs[index].count).filter { !recorded[index].contains($0) }
      .map { key(of: $0, in: index) }
  }

  /// Adds the rows to the history of the save.
  func record(in recorder: inout HistoryRecorder) {
    for (index, run) in runs.enumerated() {
      guard let entity = map.schema.entity(named: run.entityName) else { continue }
      recorder.record(.insert, keys(of: index), of: entity)
    }
  }

  /// The checks that the rows are stored.
  var checks: [RowCheck] {
    runsByTable.compactMap { indices in
      let table = tables[indices[0]]
      if indices.count == 1, recorded[indices[0]].isEmpty {
        let (first, count) = (firstKeys[indices[0]], runs[indices[0]].count)
        guard count > 0 else { return nil }
        let rows = RowRequest(table, keys: first..<first + Int64(count))
        return RowCheck(rows, count: count, changed: count)
      }
      let keys = indices.flatMap(keys)
      guard !keys.isEmpty else { return nil }
      return RowCheck(RowRequest(table, isIn: keys), count: keys.count, changed: keys.count)
    }
  }
}
