import Foundation
import PostgreSQLClient
import RowChanges
import SQLTranslation
import StoreHelpers
import StoreProtocol
import StructuredText

/// A save, which writes new rows and changed attributes from their runs.
///
/// For all other changes it reads the affected rows, changes them in memory as MemoryStore does, and
/// writes them.
struct StoreSave {
  var changes: StoreChanges
  private var inserted: InsertedRows
  private var updated: UpdatedRows
  private let basis: SaveBasis
  let map: StoreMap
  private let options: HistoryOptions
  private let position: StorePosition
  let connection: Connection
  let reader: RecordReader
  var rows = MemoryRows()
  private var numbers: SaveNumbers?
  /// Whether no row was read, since the assumptions of the basis are checked while writing.
  private var isAssumed = false
  /// Whether the numbers are reserved by the statements of the save, and not before.
  private var reservesLater = false
  private var nextKey: Int64 = 0
  /// The keys of the rows that were read; the changes may have removed some from `rows`.
  var read: Set<Int64> = []
  /// The unique values whose rows were read.
  var asked: [StoreConstraint: Set<Data>] = [:]
  private(set) var result = StoreChangesResult()
  private var recorder: HistoryRecorder?
  private var bulkChanges: BulkChanges?

  /// Creates a save.
  ///
  /// - Parameters:
  ///   - changes: The batch.
  ///   - map: The schema.
  ///   - options: The options of the history.
  ///   - position: The store that was opened.
  ///   - connection: A connection in the transaction of the save.
  ///   - basis: The state from which the save begins.
  /// - Throws: ``DataStoreError/invalidValue`` for a reference to a new row that is not in the batch.
  init(
    _ changes: StoreChanges,
    _ map: StoreMap,
    _ options: HistoryOptions,
    _ position: StorePosition,
    _ connection: Connection,
    on basis: SaveBasis
  ) throws {
    var changes = changes
    inserted = try InsertedRows(of: &changes, options, map)
    let haveUniqueValues = try changes.insertions.contains {
      try !map.table(of: $0.entityName).constraints.isEmpty
    }
    let mayMerge = haveUniqueValues || !basis.assumesRows && inserted.canMerge
    updated = UpdatedRows(of: &changes, mayMerge: mayMerge, options, map)
    // The other rows are records here, which are made once for all attempts.
    self.changes = changes.recorded
    if let references = inserted.references {
      try self.changes.checkReferences(references.contains)
    } else {
      try self.changes.checkReferences()
    }
    self.basis = basis
    self.position = position
    self.map = map
    self.options = options
    self.connection = connection
    reader = RecordReader(map: map, connection: connection)
  }

  /// Reads the required rows and applies the changes in memory.
  ///
  /// If no row need be read, the expected numbers are assumed, and ``statements()`` check them before
  /// they write.
  ///
  /// - Returns: The result, with the keys of new rows.
  /// - Throws: The errors of ``RecordStore/apply(_:)``, and those of the server.
  mutating func prepare() throws -> StoreChangesResult {
    let requests = try namedRows() + referrers()
    let needsRows =
      !requests.isEmpty || !changes.bulkChanges.isEmpty
      || (map.shared.hasConstraints && !changes.inserted.isEmpty)
    if basis.assumesRows, let numbers = basis.numbers, !needsRows,
      try updated.assume(save: numbers.save)
    {
      (isAssumed, reservesLater) = (true, true)
      try use(numbers)
    } else {
      try read(requests)
    }
    return try change()
  }

  private mutating func use(_ numbers: SaveNumbers) throws {
    try numbers.check(map.space)
    self.numbers = numbers
    rows = MemoryRows(lastKey: numbers.nextKey - 1, lastSave: numbers.save - 1)
    inserted.assignKeys(from: numbers.nextKey)
  }

  private mutating func read(_ requests: [RowRequest]) throws {
    let locked = basis.isLocked ? basis.numbers : nil
    reservesLater = locked != nil
    let first = SaveNumbers.statement(map.space, for: changes.saveIdentifier)
    let check = position.check()
    let changed = try updated.requests()
    let others = requests.map(\.statement) + changed + (inserted.references?.statements ?? [])
    let results: ArraySlice<QueryResult>
    let numbers: SaveNumbers
    if changes.bulkChanges.isEmpty {
      let reservation = locked == nil ? [first] : []
      var all = try connection.run(reservation + others + [check.statement])
      try check.finish(&all, isSaving: true)
      numbers = try locked ?? SaveNumbers(all[0], map.space)
      try use(numbers)
      results = all.dropFirst(reservation.count)
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
    let deleted = Set(changes.deleted.compactMap(\.integerKey))
    let rest = results.dropFirst(requests.count)
    try updated.prepare(rest.prefix(changed.count), deleted: deleted, save: numbers.save)
    try inserted.references?.note(rest.dropFirst(changed.count), deleted: deleted)
    if !updated.remaining.isEmpty {
      changes.updated += updated.remaining
      let identifiers = updated.remaining.map(\.identifier)
      try add(reader.records(self.requests(for: identifiers)).flatMap(\.self))
    }
    if !basis.assumesRows, inserted.canMerge { try takeRivals() }
  }

  /// Makes records of the new rows that have unique values of other rows.
  ///
  /// All others have unique values of their own, so that no merge depends on them.
  private mutating func takeRivals() throws {
    let rows = try inserted.holders()
    let stored = try holders(of: rows.mapValues { Set($0.keys) })
    try add(stored)
    var rivals = rows.values.flatMap(\.values).filter { $0.count > 1 }.flatMap(\.self)
    for values in stored.flatMap(map.catalog.uniqueValues) {
      if let bytes = try values.values.uniqueBytes {
        rivals += rows[values.constraint]?[bytes] ?? []
      }
    }
    // Unique values that the save changes before it inserts may be those of new rows.
    let changesUnique = try changes.updates.contains {
      try !map.table(of: $0.entityName).constraints.isEmpty
    }
    let records = try inserted.takeRecords(rivals, all: changesUnique)
    changes.inserted = records.map(\.record)
    for (record, key) in records { changes.keys[record.persistentIdentifier] = key }
    try add(reader.records(requests(for: referredIdentifiers)).flatMap(\.self))
  }

  private mutating func change() throws -> StoreChangesResult {
    try rows.check(changes.expectedVersions)
    // The row that a new record becomes can depend on the rows of records that it refers to. It can
    // also depend on rows with its unique values that were not read yet. The first assumption is
    // that no record updates a stored row.
    var assigned = try newIdentifiers()
    var others = try inserted.names(referredIdentifiers)
    var merged: Set<PersistentIdentifier> = []
    var rounds = 0
    while rounds <= changes.inserted.count + 1 {
      let known = Self.rows(others, assigned)
      try add(
        unreadHolders(
          of: changes.inserted.map {
            $0.copy(persistentIdentifier: $0.persistentIdentifier, remappedIdentifiers: known)
          }
        )
      )
      let (result, recorder) =
        try map.catalog.attempt(changes, known, &rows, options.content)
      let missing = try unreadRows(for: result)
      if missing.isEmpty, result.remapped == assigned, merged != Set(result.merged) {
        // Only rows that are inserted take keys.
        rows.rollBack()
        merged = Set(result.merged)
        changes.keys.merge(inserted.assignKeys(from: rows.lastKey + 1, merging: merged)) { $1 }
        others = try inserted.names(referredIdentifiers)
        assigned = try newIdentifiers()
        for record in merged { assigned[record] = result.remapped[record] }
        continue
      }
      if missing.isEmpty, result.remapped == assigned {
        try changes.checkInsertions(result, in: map.catalog.schema)
        (self.result, self.recorder) = (result, recorder)
        nextKey = max(rows.lastKey + 1, inserted.nextKey ?? 0)
        try inserted.write(&self.result)
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

  /// Returns the rows of all new records and rows, by each identifier that names them.
  ///
  /// A producer refers to a new row by its key, so that the identifier has the relationship's entity,
  /// and not the row's own, with which the record of a merged row has its name.
  private static func rows(
    _ others: InsertedRows.Names,
    _ assigned: InsertedRows.Names
  ) -> InsertedRows.Names {
    guard !others.isEmpty else { return assigned }
    let numbers = Dictionary(
      lastOf: assigned.compactMap { name, row in name.temporaryNumber.map { ($0, row) } }
    )
    return others.reduce(into: assigned) { rows, other in
      rows[other.key] = other.key.temporaryNumber.flatMap { numbers[$0] } ?? other.value
    }
  }

  /// Returns the identifiers of the new records if each becomes a new row.
  private func newIdentifiers() throws -> InsertedRows.Names {
    var identifiers: InsertedRows.Names = [:]
    var key = rows.lastKey + 1
    for record in changes.inserted {
      let temporary = record.persistentIdentifier
      key = changes.keys[temporary] ?? key
      let entity = try map.catalog.schema.requiredEntity(temporary.entityName)
      identifiers[temporary] = map.catalog.identifier(key, of: entity)
      key &+= 1
    }
    return identifiers
  }

  // MARK: Writing

  private var groups: [HistoryGroup] = []

  /// Computes the save's part of the history.
  private mutating func addHistory() throws -> StoreChangesResult {
    guard var recorder else { return result }
    bulkChanges?.record(in: &recorder)
    updated.record(in: &recorder)
    inserted.record(in: &recorder)
    groups = recorder.groups { [rows] key, _ in rows.byKey[key] }
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
    if reservesLater, !basis.isLocked, let (numbers, next) = numbersAfter {
      statements.append(numbers.statement(map.space, next: next, position))
    }
    let changed = rows.changedRows
    statements += try rowStatements(of: changed) + updated.statements + inserted.statements
    statements.append(SaveNumbers.record(changes.saveIdentifier, result.version, map.space))
    if !reservesLater, nextKey > rows.lastKeyBefore + 1 {
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
      nextKey: basis.isLocked ? nil : nextKey,
      isInHistory: !groups.isEmpty
    )
    var checks = checks(of: changed) + updated.checks + inserted.checks
    checks += bulkChanges?.checks(except: changed.keys) ?? []
    if isAssumed { checks += inserted.references?.checks ?? [] }
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
