import PostgreSQLClient
import SQLTranslation
import StoreHelpers
import StoreProtocol

/// The rows of a save that are written without the values that they had.
///
/// Only relationships and unique values can depend on other rows. New rows have none
/// (``EntityTable/readsSources(of:)``), and of changed rows neither is changed.
struct DirectRows {
  /// The new rows.
  let inserted: [any RowProducer]
  /// The changed rows, without those of ``remaining``.
  private(set) var updated: [any UpdateProducer]
  /// The changes of rows whose other values must be known.
  private(set) var remaining: [StoreUpdate] = []
  /// The keys of the first new row of each source.
  private(set) var firstKeys: [Int64] = []

  private let map: StoreMap
  private var changes: [Change] = []

  /// The statements that change rows, and the check that the rows exist and that their other values
  /// need not be known.
  private struct Change {
    var statements: [Statement] = []
    let check: RowCheck
  }

  /// Creates the rows of sources, and of the changes of attributes.
  init(_ sources: RowProducers, _ changes: [any UpdateProducer], _ map: StoreMap) {
    (inserted, updated) = (sources.inserted, sources.updated + changes)
    self.map = map
  }

  /// Returns the statements that read which of the changed rows exist.
  func requests() throws -> [Statement] {
    try updated.map { source in
      let table = try map.table(of: source.entityName)
      let spelling = table.hasStrings ? "_spelling IS NOT NULL" : "false"
      return RowRequest(table, isIn: source.keys).statement(selecting: "_key, \(spelling)")
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
    var direct: [any UpdateProducer] = []
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
        remaining += try source.updates(in: map.scope(of: source.entityName))
      }
    }
    updated = direct
  }

  private func check(
    _ source: any UpdateProducer,
    _ result: QueryResult,
    _ deleted: Set<Int64>
  ) throws {
    guard result.rowCount < source.keys.count || !deleted.isEmpty else { return }
    let found = try (0..<result.rowCount).compactMap { try result.value($0, 0, as: Int64.self) }
    let stored = Set(found).subtracting(deleted)
    guard let missing = source.keys.first(where: { !stored.contains($0) }) else { return }
    let scope = try map.scope(of: source.entityName)
    throw DataStoreError.missingRow(PersistentIdentifier(scope: scope, key: .integer(missing)))
  }

  /// Returns the change of the rows of a source, or `nil` if some must be written as whole rows.
  private func change(of source: any UpdateProducer, save: Int64) throws -> Change? {
    let table = try map.table(of: source.entityName)
    let positions = table.positions[source.entityName] ?? []
    let columns = source.properties.compactMap {
      positions.indices.contains($0) ? positions[$0] : nil
    }
    let rows = TableRows(of: table, columns: columns, map)
    var change = Change(
      check: RowCheck(
        RowRequest(table, isIn: source.keys),
        count: source.count,
        changed: source.count,
        where: table.hasStrings ? "_spelling IS NULL" : "true"
      )
    )
    for (position, key) in source.keys.enumerated() {
      try rows.add(position, of: source, key: key, version: save)
      guard !rows.needsWholeRows else { return nil }
      if rows.areFull || position == source.keys.count - 1 {
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

  /// Adds the rows to the history of the save.
  func record(in recorder: inout HistoryRecorder) {
    for source in updated {
      guard let entity = map.schema.entity(named: source.entityName) else { continue }
      recorder.update(source.keys, of: entity, source.properties)
    }
    for (source, key) in zip(inserted, firstKeys) {
      recorder.insert(key..<key + Int64(source.count), of: source.entityName)
    }
  }

  /// Returns the statements that write the rows.
  func statements(save: Int64) throws -> [Statement] {
    var statements = changes.flatMap(\.statements)
    for (source, firstKey) in zip(inserted, firstKeys) {
      let table = try map.table(of: source.entityName)
      let rows = TableRows(of: table, map)
      for position in 0..<source.count {
        try rows.add(position, of: source, key: firstKey + Int64(position), version: save)
        if rows.areFull || position == source.count - 1 {
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

/// Changed attributes of the rows of one entity, as a batch of changes contains them.
private struct RecordUpdates: UpdateProducer {
  let entityName: String
  let properties: [Int]
  private(set) var keys: [Int64] = []
  private var values: [[StoreValue]] = []

  var count: Int { keys.count }

  init(_ update: StoreUpdate) {
    entityName = update.identifier.entityName
    properties = update.changes.map(\.index)
  }

  mutating func add(_ key: Int64, _ update: StoreUpdate) {
    keys.append(key)
    values.append(update.changes.map(\.value))
  }

  func write(_ position: Int, to writer: RowWriter) {
    for (property, value) in zip(properties, values[position]) { writer.write(value, at: property) }
  }
}

extension StoreChanges {
  /// Takes the updates out of a batch that contains nothing else, if all are of attributes and no
  /// row's unique values can change.
  mutating func takeDirectUpdates(_ map: StoreMap) -> [any UpdateProducer] {
    guard inserted.isEmpty, deleted.isEmpty, expectedVersions.isEmpty, nextKey == nil else {
      return []
    }
    var sources: [RecordUpdates] = []
    var keys: Set<Int64> = []
    for update in updated {
      guard let key = update.identifier.integerKey, keys.insert(key).inserted,
        let entity = map.schema.entity(named: update.identifier.entityName),
        let table = map.tables[entity.name], !table.isShared, table.constraints.isEmpty,
        !update.changes.isEmpty,
        update.changes.allSatisfy({ entity.isStoredAttribute($0.index) })
      else { return [] }
      if sources.last?.entityName != entity.name
        || sources.last?.properties != update.changes.map(\.index)
      {
        sources.append(RecordUpdates(update))
      }
      sources[sources.count - 1].add(key, update)
    }
    updated = []
    return sources
  }
}

extension StoreEntity {
  fileprivate func isStoredAttribute(_ index: Int) -> Bool {
    properties.indices.contains(index) && properties[index].relationship == nil
      && !properties[index].isEphemeral
  }
}
