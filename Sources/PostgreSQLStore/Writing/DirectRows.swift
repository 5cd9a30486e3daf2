import PostgreSQLClient
import StoreHelpers
import StoreProtocol

/// The rows of a save that are written directly from their objects.
///
/// Their entities have neither relationships nor unique values
/// (``EntityTable/readsSources(of:)``), so that no other row depends on them.
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
  private var changes: [Statement] = []

  init(_ sources: RowProducers, _ map: StoreMap) {
    (inserted, updated) = (sources.inserted, sources.updated)
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

  /// Creates the statements of the changed rows, and those that check that the rows exist and that
  /// their other values need not be known.
  ///
  /// - Parameter save: The number of the save.
  /// - Returns: `false`, without statements, if the new values already show that others must be known.
  /// - Throws: The error of a value that cannot be stored.
  mutating func assumeUpdates(save: Int64) throws -> Bool {
    var statements: [Statement] = []
    for source in updated {
      let table = try map.table(of: source.entityName)
      statements.append(
        RowRequest(table, isIn: source.keys)
          .check(count: source.count, where: table.hasStrings ? "_spelling IS NULL" : "true")
      )
      guard let changes = try update(source, save: save) else { return false }
      statements += changes
    }
    changes = statements
    return true
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
      let statements = try update(source, save: save)
      let isRespelled = try (0..<result.rowCount).contains { row in
        try result.value(row, 1, as: Bool.self) == true
      }
      if let statements, !isRespelled {
        changes += statements
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
    let identifier = PersistentIdentifier(scope: scope, key: .integer(missing))
    throw DataStoreError(
      .conflict,
      "the row \(identifier) no longer exists; fetch again",
      entity: source.entityName
    )
  }

  /// Returns the statements that change the rows of a source, or `nil` if some must be written as
  /// whole rows.
  private func update(_ source: any UpdateProducer, save: Int64) throws -> [Statement]? {
    let table = try map.table(of: source.entityName)
    let positions = table.positions[source.entityName] ?? []
    let columns = source.properties.compactMap {
      positions.indices.contains($0) ? positions[$0] : nil
    }
    let rows = TableRows(of: table, columns: columns, map)
    var statements: [Statement] = []
    for (position, key) in source.keys.enumerated() {
      try rows.add(position, of: source, key: key, version: save)
      guard !rows.needsWholeRows else { return nil }
      if rows.count == TableRows.rowsAtOnce || position == source.keys.count - 1 {
        statements += try rows.takeStatements(replacing: true)
      }
    }
    return statements
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
    var statements = changes
    for (source, firstKey) in zip(inserted, firstKeys) {
      let rows = TableRows(of: try map.table(of: source.entityName), map)
      for position in 0..<source.count {
        try rows.add(position, of: source, key: firstKey + Int64(position), version: save)
        if rows.count == TableRows.rowsAtOnce || position == source.count - 1 {
          statements += try rows.takeStatements(replacing: false)
        }
      }
    }
    return statements
  }
}
