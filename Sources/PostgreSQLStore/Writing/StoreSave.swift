import Foundation
import PostgreSQLClient
import RowChanges
import SQLTranslation
import StoreHelpers
import StoreProtocol
import StructuredText

/// A save, which reads the affected rows, changes them in memory as MemoryStore does, and writes
/// them.
struct StoreSave {
  private var changes: StoreChanges
  private var direct: DirectRows
  let map: StoreMap
  private let options: HistoryOptions
  private let position: StorePosition
  let connection: Connection
  private let reader: RecordReader
  private(set) var rows = MemoryRows()
  private var numbers: SaveNumbers?
  /// Whether the numbers are those that were expected, and not reserved yet.
  private var isAssumed = false
  private var nextKey: Int64 = 0
  /// The keys of the rows that were read; the changes may have removed some from `rows`.
  private var read: Set<Int64> = []
  private(set) var result = StoreChangesResult()
  private var named: [Int64: [Int]] = [:]
  private var bulkChanges: BulkChanges?

  init(
    _ changes: StoreChanges,
    _ map: StoreMap,
    _ options: HistoryOptions,
    _ position: StorePosition,
    _ connection: Connection
  ) throws {
    var changes = changes
    direct = DirectRows(of: &changes, options, map)
    // The other rows are records here, which are made once for all attempts.
    self.changes = changes.recorded
    try self.changes.checkReferences()
    self.position = position
    self.map = map
    self.options = options
    self.connection = connection
    reader = RecordReader(map: map, connection: connection)
  }

  /// Reads the required rows and applies the changes in memory.
  ///
  /// - Parameter expected: The numbers that the save probably gets. If no row need be read, they are
  ///   assumed, and ``statements()`` check them before they write.
  /// - Returns: The result, with the keys of new rows.
  /// - Throws: The errors of ``RecordStore/apply(_:)``, and those of the server.
  mutating func prepare(expecting expected: SaveNumbers?) throws -> StoreChangesResult {
    let requests = try namedRows() + referrers()
    let needsRows =
      !requests.isEmpty || !changes.bulkChanges.isEmpty
      || (map.shared.hasConstraints && !changes.inserted.isEmpty)
    if let expected, !needsRows, try direct.assumeUpdates(save: expected.save) {
      isAssumed = true
      try use(expected)
    } else {
      try read(requests)
    }
    return try change()
  }

  private mutating func use(_ numbers: SaveNumbers) throws {
    try numbers.check(map.space)
    self.numbers = numbers
    rows = MemoryRows(lastKey: numbers.nextKey - 1, lastSave: numbers.save - 1)
  }

  private mutating func read(_ requests: [RowRequest]) throws {
    let first = SaveNumbers.statement(map.space, for: changes.saveIdentifier)
    let check = position.check()
    let others = try requests.map(\.statement) + direct.requests()
    let results: ArraySlice<QueryResult>
    let numbers: SaveNumbers
    if changes.bulkChanges.isEmpty {
      var all = try connection.run([first] + others + [check.statement])
      try check.finish(&all, isSaving: true)
      numbers = try SaveNumbers(all[0], map.space)
      try use(numbers)
      results = all.dropFirst()
    } else {
      var all = try connection.run([first, check.statement])
      try check.finish(&all, isSaving: true)
      numbers = try SaveNumbers(all[0], map.space)
      try use(numbers)
      var bulkChanges = BulkChanges(map, connection, version: numbers.save)
      try bulkChanges.perform(changes.bulkChanges)
      self.bulkChanges = bulkChanges
      // Bulk changes come first: all others read their effects.
      results = others.isEmpty ? [] : try connection.run(others)[...]
    }
    let decoder = RecordDecoder(map: map)
    try add(try zip(requests, results).flatMap { try decoder.records($0.table, $1) })
    try direct.prepareUpdates(
      results.dropFirst(requests.count),
      deleted: changes.deleted,
      save: numbers.save
    )
    if !direct.remaining.isEmpty {
      changes.updated += direct.remaining
      try add(
        reader.records(self.requests(for: direct.remaining.map(\.identifier))).flatMap(\.self)
      )
    }
  }

  private mutating func change() throws -> StoreChangesResult {
    try rows.check(changes.expectedVersions)
    // The row that a new record becomes can depend on the rows of records that it refers to. It can
    // also depend on rows with its unique values that were not read yet. The first assumption is
    // that no record updates a stored row.
    var assigned = try newIdentifiers()
    var rounds = 0
    while rounds <= changes.inserted.count + 1 {
      try loadHolders(assigned)
      let (result, named) = try map.catalog.attempt(changes, assigned, &rows)
      let missing = try unreadRows(for: result)
      if missing.isEmpty, result.remapped == assigned {
        try changes.checkInsertions(result, in: map.catalog.schema)
        (self.result, self.named) = (result, named)
        nextKey = direct.assignKeys(from: rows.lastKey + 1)
        self.result.firstKeys = direct.firstKeys
        try direct.name(in: &self.result)
        self.result.updated = bulkChanges?.updated ?? []
        self.result.deleted = bulkChanges?.deleted ?? []
        return try addHistory()
      }
      rows.rollBack()
      if missing.isEmpty {
        assigned = result.remapped
        rounds += 1
      } else {
        try add(missing)
      }
    }
    throw DataStoreError.endlessMerges
  }

  /// Returns the identifiers of the new records if each becomes a new row.
  private func newIdentifiers() throws -> [PersistentIdentifier: PersistentIdentifier] {
    var identifiers: [PersistentIdentifier: PersistentIdentifier] = [:]
    var key = rows.lastKey + 1
    for record in changes.inserted {
      let temporary = record.persistentIdentifier
      key = changes.keys[temporary] ?? key
      let entity = try map.catalog.entity(named: temporary.entityName)
      identifiers[temporary] = map.catalog.identifier(key, of: entity)
      key &+= 1
    }
    return identifiers
  }

  // MARK: Reading

  /// Returns requests for the rows that the changes name.
  private func namedRows() throws -> [RowRequest] {
    var identifiers = changes.deleted + changes.updated.map(\.identifier)
    identifiers += changes.expectedVersions.keys
    for value in changes.inserted.flatMap(\.values) { identifiers += value.identifiers }
    for update in changes.updated {
      for change in update.changes { identifiers += change.value.identifiers }
    }
    return requests(for: identifiers)
  }

  private func requests(for identifiers: [PersistentIdentifier]) -> [RowRequest] {
    var keys: [String: Set<Int64>] = [:]
    for identifier in identifiers {
      guard let key = identifier.integerKey, !read.contains(key),
        let root = map.catalog.schema.entity(named: identifier.entityName)?.root
      else { continue }
      keys[root, default: []].insert(key)
    }
    return keys.sorted { $0.key < $1.key }.compactMap { root, keys in
      map.tables[root].map { RowRequest($0, isIn: keys) }
    }
  }

  /// Returns requests for the rows that refer to deleted ones.
  private func referrers() -> [RowRequest] {
    let keys = changes.deleted.compactMap(\.integerKey)
    guard !keys.isEmpty else { return [] }
    let deleted = BoundValue.list(keys.map(BoundValue.integer))
    return map.sortedTables.compactMap { table in
      let conditions = table.columns.compactMap { column -> SQLFragment? in
        switch column.kind {
        case .reference: "\(column.name) = ANY (\(bind: deleted))"
        case .list: "\(column.name) && \(bind: deleted)"
        default: nil
        }
      }
      return conditions.isEmpty ? nil : RowRequest(table, "WHERE \(.any(conditions))")
    }
  }

  private mutating func add(_ records: [DefaultSnapshot]) throws {
    for record in records {
      guard let key = record.persistentIdentifier.integerKey, read.insert(key).inserted else {
        continue
      }
      try rows.put(record, at: key, unique: map.catalog.uniqueValues(of: record))
    }
    rows.commit(save: rows.lastSave)
  }

  /// Reads the rows that have unique values of new records, and their one-to-one counterparts.
  private mutating func loadHolders(
    _ assigned: [PersistentIdentifier: PersistentIdentifier]
  ) throws {
    let holders = try unreadHolders(
      of: changes.inserted.map {
        $0.copy(persistentIdentifier: $0.persistentIdentifier, remappedIdentifiers: assigned)
      }
    )
    try add(holders)
  }

  /// Reads the rows that the result depends on and that were not read yet.
  ///
  /// These are the rows with unique values that a changed row had at some step, and the former
  /// counterparts of merged rows.
  private func unreadRows(for result: StoreChangesResult) throws -> [DefaultSnapshot] {
    let before = rows.changedRows
    let merged = result.merged.compactMap { result.remapped[$0]?.integerKey }
    return try unreadHolders(of: rows.putRows)
      + counterparts(of: merged.compactMap { before[$0] ?? nil })
  }

  private func unreadHolders(
    of records: @autoclosure () -> [DefaultSnapshot]
  ) throws -> [DefaultSnapshot] {
    guard map.shared.hasConstraints else { return [] }
    var wanted: [StoreConstraint: Set<Data>] = [:]
    for record in records() {
      for values in map.catalog.uniqueValues(of: record) {
        wanted[values.constraint, default: []].insert(try values.bytes)
      }
    }
    var requests: [RowRequest] = []
    for table in map.sortedTables {
      for (number, constraint) in table.constraints.enumerated() {
        guard let values = wanted[constraint] else { continue }
        let sorted = values.sorted { $0.lexicographicallyPrecedes($1) }
        let parameter = BoundValue.list(sorted.map(BoundValue.blob))
        requests.append(
          RowRequest(
            table,
            "WHERE sha256(_u\(String(number))) IN (SELECT sha256(v) FROM unnest(\(bind: parameter)) AS w(v))"
          )
        )
      }
    }
    let found = try reader.records(requests).flatMap(\.self).filter { isUnread($0) }
    return try found + counterparts(of: found)
  }

  /// Reads the one-to-one counterparts of rows that were not read yet.
  private func counterparts(of records: [DefaultSnapshot]) throws -> [DefaultSnapshot] {
    let identifiers = try records.flatMap { record in
      try map.catalog.entity(named: record.persistentIdentifier.entityName)
        .oneToOneProperties.flatMap { record.values[$0].identifiers }
    }
    return try reader.records(requests(for: identifiers)).flatMap(\.self)
  }

  private func isUnread(_ record: DefaultSnapshot) -> Bool {
    record.persistentIdentifier.integerKey.map { !read.contains($0) } ?? false
  }

  // MARK: Writing

  private var groups: [HistoryGroup] = []

  /// Computes the save's part of the history.
  private mutating func addHistory() throws -> StoreChangesResult {
    guard options.content != .off else { return result }
    groups = map.catalog.groups(changes, result, named, rows, options.content) {
      bulkChanges?.record(in: &$0)
      direct.record(in: &$0)
    }
    if groups.isEmpty { result.isInHistory = false }
    return result
  }

  /// The numbers of the save, and those of the next one.
  var numbersAfter: (save: SaveNumbers, next: SaveNumbers)? {
    numbers.map {
      ($0, $0.following(nextKey: max(nextKey, $0.nextKey), changes.saveIdentifier))
    }
  }

  /// Returns the statements that write the save, to be committed with it.
  func statements() throws -> [Statement] {
    var statements: [Statement] = []
    if isAssumed, let (numbers, next) = numbersAfter {
      statements.append(numbers.statement(map.space, next: next, position))
    }
    let changed = rows.changedRows
    statements += try rowStatements(of: changed) + direct.statements(save: result.version)
    statements.append(SaveNumbers.record(changes.saveIdentifier, result.version, map.space))
    if !isAssumed, nextKey > rows.lastKeyBefore + 1 {
      statements.append(
        Statement(
          "UPDATE \(map.space)._meta SET next_key = $1",
          [Parameter(nextKey)],
          isPrepared: true
        )
      )
    }
    statements += try historyStatements()
    let record = SaveRecord(
      space: map.space,
      save: changes.saveIdentifier,
      number: result.version,
      nextKey: nextKey,
      isInHistory: !groups.isEmpty
    )
    let checks =
      try checks(of: changed) + direct.checks() + (bulkChanges?.checks(except: changed.keys) ?? [])
    return statements + record.statements(checks)
  }

  /// Returns the statements that write changed rows, deletions first.
  private func rowStatements(of changed: [Int64: DefaultSnapshot?]) throws -> [Statement] {
    var statements: [Statement] = []
    // Rows with unique values are deleted and inserted again, so that they can exchange these values.
    let replaced = try changed.filter { key, old in
      guard let old, rows.byKey[key] != nil else { return false }
      return try map.table(of: old.persistentIdentifier.entityName).constraints.isEmpty
    }
    let removed = changed.compactMap { replaced[$0] == nil ? $1 : nil }
    for (root, records) in map.catalog.byRoot(removed) {
      guard let table = map.tables[root] else { continue }
      let keys = records.compactMap(\.persistentIdentifier.integerKey)
      statements.append(RowRequest(table, isIn: keys).deletion)
    }
    let keys = changed.keys.sorted()
    for isReplacement in [true, false] {
      let records = keys.compactMap { key in
        (replaced[key] != nil) == isReplacement ? rows.byKey[key] : nil
      }
      for (root, records) in map.catalog.byRoot(records) {
        guard let table = map.tables[root] else { continue }
        statements += try TableRows.statements(
          of: records,
          in: table,
          map,
          replacing: isReplacement
        )
      }
    }
    return statements
  }

  private func historyStatements() throws -> [Statement] {
    let history = StoredHistory(map, connection)
    var statements = changes.readers.flatMap { history.set($0) }
    guard options.content != .off else {
      return statements + history.cutAll(at: result.version, changes.saveIdentifier)
    }
    guard !groups.isEmpty else { return statements }
    let record = HistoryRecord(
      number: result.version,
      save: changes.saveIdentifier,
      author: changes.editingState.author,
      origin: changes.origin,
      groups: groups
    )
    statements += try history.append(record)
    statements += try history.prune(options.retention, adding: record, readers: changes.readers)
    return statements
  }
}

extension UniqueValues {
  /// The values as bytes that are equal exactly if the values are.
  var bytes: Data {
    get throws { Data(try JSONText.encoded(.array(values)).utf8) }
  }
}
