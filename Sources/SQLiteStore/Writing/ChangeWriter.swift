import SQLTranslation
import StoreFiles
import StoreHelpers
import StoreProtocol

/// Writes one batch of changes in the open transaction.
///
/// The order of effect is that of the contract: deletions, updates, insertions. References to rows
/// that are inserted later wait until their keys are known. Relationships with tables of their own
/// are written after all rows.
final class ChangeWriter {
  let catalog: Catalog
  let connection: Connection

  /// The files of large values, or `nil` if all values are in their rows.
  let files: ValueFileBatch?

  /// The keys of new rows by the numbers of their temporary identifiers.
  private(set) var newKeys: TemporaryKeys

  /// The values that wait for the key of a row that is not inserted yet.
  var waiting: [WaitingValue] = []

  /// The lists that are written to tables of their own.
  var lists: [WaitingList] = []

  /// The written rows by table, which are searched for references to rows that do not exist.
  var written: [String: [Int64]] = [:]

  /// The number of the save, which becomes the version of the rows that it writes.
  let version: Int64

  var result: StoreChangesResult
  private var marks: Set<String> = []
  private var firstFreeKey: Int64?
  private var freeKey: Int64 = 0
  /// The keys that are requested for new records.
  let givenKeys: [PersistentIdentifier: Int64]
  /// The former one-to-one counterparts of merged rows.
  var counterparts: [FormerCounterpart] = []
  /// The new records among the counterparts, by the numbers of their temporary identifiers.
  var newCounterparts: [Int64: PersistentIdentifier] = [:]
  let finder: UniqueFinder
  let search: SearchWriter

  /// The rows that new records are assumed to become, from an earlier attempt.
  private let assumed: [PersistentIdentifier: PersistentIdentifier]

  let history: HistoryOptions

  /// Collects the batch's changes to rows, or `nil` if the history records none.
  var recorder: HistoryRecorder?

  /// Whether unique values referred to a record whose row was not known.
  var guessed = false

  private init(
    _ changes: StoreChanges,
    catalog: Catalog,
    connection: Connection,
    files: ValueFileBatch?,
    history: HistoryOptions,
    newKeys: TemporaryKeys,
    assumed: [PersistentIdentifier: PersistentIdentifier]
  ) {
    version = connection.save
    self.newKeys = newKeys
    givenKeys = changes.keys
    self.history = history
    recorder =
      history.content == .off
      ? nil : HistoryRecorder(catalog.map.schema, history.content, changes.consequences)
    result = StoreChangesResult(version: version)
    self.catalog = catalog
    self.connection = connection
    self.files = files
    self.assumed = assumed
    finder = UniqueFinder(connection: connection, catalog: catalog)
    search = SearchWriter(on: connection)
    // Nothing is kept of attempts that are rolled back.
    if catalog.hasUniqueReferences || connection.inexactRows.save != version - 1 {
      connection.inexactRows = InexactRows()
    }
  }

  /// Applies a batch.
  ///
  /// A new record's unique values can refer to other new records. Which row it becomes can then
  /// depend on the rows that those become. If those come later in the batch, it is applied again
  /// with the result, until the result equals the assumption.
  static func apply(
    _ changes: StoreChanges,
    catalog: Catalog,
    connection: Connection,
    files: ValueFileBatch?,
    history: HistoryOptions
  ) throws -> StoreChangesResult {
    try VersionCheck(catalog: catalog, connection: connection).check(changes.expectedVersions)
    let newKeys = TemporaryKeys(
      changes.inserted.compactMap(\.persistentIdentifier.temporaryNumber) + changes.sources.numbers
    )
    var assumed: [PersistentIdentifier: PersistentIdentifier] = [:]
    let needsAttempts = catalog.hasUniqueReferences && !changes.inserted.isEmpty
    if needsAttempts { try connection.execute("SAVEPOINT attempt") }
    for _ in 0...changes.inserted.count + 1 {
      let writer = ChangeWriter(
        changes,
        catalog: catalog,
        connection: connection,
        files: files,
        history: history,
        newKeys: newKeys,
        assumed: assumed
      )
      try writer.dealKeys(to: changes.sources)
      try writer.writeRows(changes)
      if !needsAttempts || !(writer.guessed || !assumed.isEmpty)
        || writer.result.remapped == assumed
      {
        return try writer.finished(changes)
      }
      assumed = writer.result.remapped
      try connection.execute("ROLLBACK TO attempt")
      files?.restart()
    }
    throw DataStoreError.endlessMerges
  }

  private func writeRows(_ changes: StoreChanges) throws {
    result.remapped.reserveCapacity(changes.inserted.count)
    try perform(changes)
    try delete(changes.deleted, ReferenceProtection(changes, catalog.map.schema))
    try update(changes.updated)
    try insert(changes.inserted)
    if let next = changes.nextKey {
      try beginKeys()
      freeKey = max(freeKey, next)
    }
    for source in changes.sources.updated { try update(source) }
    try insert(changes.sources.inserted)
  }

  private func finished(_ changes: StoreChanges) throws -> StoreChangesResult {
    try changes.checkInsertions(result, in: catalog.map.schema)
    try writePostponed()
    for list in lists { try write(list) }
    try detachFormerCounterparts()
    try search.updateIndexes()
    if connection.hasDanglingReferences {
      try dropDanglingReferences(except: changes.protectedReferences)
    }
    try keepSharedFiles()
    if let firstFreeKey, freeKey != firstFreeKey {
      try StoreNumbers.check(freeKey, of: "keys", file: nil)
      try Metadata.set(.nextKey, to: .integer(freeKey), on: connection)
    }
    result.isInHistory = try writeHistory(of: changes)
    connection.inexactRows.keep(after: version)
    return result
  }

  /// Takes the next key of the store, which no row has ever had.
  func takeKey(for record: DefaultSnapshot) throws -> Int64 {
    if let key = givenKeys[record.persistentIdentifier] {
      try beginKeys()
      try StoreNumbers.check(key, from: freeKey, of: record.persistentIdentifier.entityName)
      freeKey = key
    }
    return try takeKeys(1)
  }

  /// Takes consecutive keys that no row has ever had, and returns the first.
  func takeKeys(_ count: Int) throws -> Int64 {
    try beginKeys()
    defer { freeKey += Int64(count) }
    return freeKey
  }

  private func beginKeys() throws {
    guard firstFreeKey == nil else { return }
    let key = try Metadata.nextKey(from: connection)
    firstFreeKey = key
    freeKey = key
    recorder?.firstNewKey = key
  }

  /// Records which row a new record became.
  func remap(
    _ temporary: PersistentIdentifier,
    to key: Int64,
    scope: PersistentIdentifier.Scope,
    isMerged: Bool
  ) {
    result.remapped[temporary] = PersistentIdentifier(scope: scope, key: .integer(key))
    if let number = temporary.temporaryNumber { newKeys.set(key, of: number) }
    if isMerged { result.merged.insert(temporary) }
  }

  /// Returns the key of the row of an identifier, or `nil` while a new record's is not known.
  func key(of identifier: PersistentIdentifier) -> Int64? {
    switch identifier.key {
    case .integer(let key): key
    case .temporary(let number): newKeys[number] ?? assumed[identifier]?.integerKey
    case .text: result.remapped[identifier]?.integerKey
    }
  }

  /// Assigns a key to each new record of the sources, so that all written values can refer to it.
  private func dealKeys(to sources: RowProducers) throws {
    for source in sources.inserted { result.firstKeys.append(try takeKeys(source.count)) }
    guard var key = result.firstKeys.first else { return }
    for number in sources.numbers {
      newKeys.set(key, of: number)
      key += 1
    }
  }

  /// Marks a column as one with a value that SQL compares differently than Swift.
  func mark(_ column: ColumnMap, in table: TableMap) throws {
    let key = InexactColumns.key(of: column, in: table)
    guard marks.insert(key).inserted else { return }
    try InexactColumns.mark(key, on: connection)
    finder.noteMark(key)
  }

  /// Marks a column as one with references to files.
  func markFiles(_ column: ColumnMap, in table: TableMap) throws {
    let key = column.fileMark(in: table.name)
    if marks.insert(key).inserted { try InexactColumns.mark(key, on: connection) }
  }

  /// Records rows that a batch has removed.
  func noteDeleted(_ rows: BulkRows) { result.deleted += rows.keys.lazy.map(rows.identifier) }

  /// Records rows that a batch has changed.
  func noteUpdated(_ rows: BulkRows) { result.updated += rows.keys.lazy.map(rows.identifier) }
}

/// A value of a row that refers to rows that were not yet inserted when the row was written.
struct WaitingValue {
  let key: Int64
  let plan: WritePlan
  let column: WriteColumn
  let value: StoreValue
  /// Whether the value is a list of objects that are added to those of the row.
  var isAddition = false
}

/// The related objects of a relationship with a table of its own.
struct WaitingList {
  let owner: Int64
  let join: JoinMap
  let value: StoreValue
  let entity: StoreEntity
  let property: Int
  /// Whether the objects are added to those of the row.
  var isAddition = false
}
