import SQLTranslation
import StoreFiles
import StoreProtocol

/// Writes one batch of changes in the transaction that is open.
///
/// The order of effect is that of the contract: deletions, updates, insertions. References to rows
/// that are inserted later wait until their keys are known; relationships with tables of their own
/// are written when all rows are.
final class ChangeWriter {
  let catalog: Catalog
  let connection: Connection

  /// The files of large values, nil where all values are in their rows.
  let files: ValueFileBatch?

  /// The keys of new rows by the numbers of their temporary identifiers.
  private(set) var newKeys: TemporaryKeys

  /// What waits for the key of a row that is not inserted yet.
  var waiting: [WaitingValue] = []

  /// The lists that go into tables of their own.
  var lists: [WaitingList] = []

  /// The rows written, by table, for the search for references to rows that do not exist.
  var written: [String: [Int64]] = [:]

  /// The number of the save, which becomes the version of the rows that it writes.
  let version: Int64

  private(set) var result: StoreChangesResult
  private var marks: Set<String> = []
  private var firstFreeKey: Int64?
  private var freeKey: Int64 = 0
  /// The keys that new records are to get.
  let givenKeys: [PersistentIdentifier: Int64]
  /// Whom merged rows led to before.
  var partners: [FormerPartner] = []
  /// The new records among them, by the numbers of their temporary identifiers.
  var newPartners: [Int64: PersistentIdentifier] = [:]
  let finder: UniqueFinder
  let search: SearchWriter

  /// The rows that new records are taken to become, from an attempt before.
  private let assumed: [PersistentIdentifier: PersistentIdentifier]

  /// What the history is to remember.
  let history: HistoryOptions

  /// Collects what the batch does to rows, nil where nothing is remembered.
  var recorder: HistoryRecorder?

  /// Whether unique values held a reference to a record whose row was not known.
  var guessed = false

  private init(
    catalog: Catalog,
    connection: Connection,
    version: Int64,
    files: ValueFileBatch?,
    history: HistoryOptions,
    consequences: DeleteConsequences,
    newKeys: TemporaryKeys,
    givenKeys: [PersistentIdentifier: Int64],
    assumed: [PersistentIdentifier: PersistentIdentifier]
  ) {
    self.version = version
    self.newKeys = newKeys
    self.givenKeys = givenKeys
    self.history = history
    recorder =
      history.content == .off
      ? nil : HistoryRecorder(catalog.map.schema, history.content, consequences)
    result = StoreChangesResult(version: version)
    self.catalog = catalog
    self.connection = connection
    self.files = files
    self.assumed = assumed
    finder = UniqueFinder(connection: connection, catalog: catalog)
    search = SearchWriter(on: connection)
    // Of attempts that are taken back nothing is kept.
    if catalog.hasUniqueReferences || connection.inexactRows.save != version - 1 {
      connection.inexactRows = InexactRows()
    }
  }

  /// Applies a batch.
  ///
  /// Which row a new record becomes can depend on which rows the records become that its unique
  /// values refer to. Where they come later in the batch, it is applied again with what came out,
  /// until that is what was assumed.
  static func apply(
    _ changes: StoreChanges,
    _ sources: ChangeSources = ChangeSources(),
    catalog: Catalog,
    connection: Connection,
    files: ValueFileBatch? = nil,
    history: HistoryOptions = HistoryOptions()
  ) throws -> StoreChangesResult {
    try VersionCheck(catalog: catalog, connection: connection).check(changes.expectedVersions)
    let newKeys = TemporaryKeys(
      changes.inserted.compactMap(\.persistentIdentifier.temporaryNumber) + sources.numbers
    )
    var assumed: [PersistentIdentifier: PersistentIdentifier] = [:]
    let needsAttempts = catalog.hasUniqueReferences && !changes.inserted.isEmpty
    if needsAttempts { try connection.execute("SAVEPOINT attempt") }
    for _ in 0...changes.inserted.count + 1 {
      let writer = ChangeWriter(
        catalog: catalog,
        connection: connection,
        version: connection.save,
        files: files,
        history: history,
        consequences: changes.consequences,
        newKeys: newKeys,
        givenKeys: changes.keys,
        assumed: assumed
      )
      try writer.dealKeys(to: sources)
      try writer.writeRows(changes)
      for source in sources.updated { try writer.update(source) }
      try writer.insert(sources.inserted)
      if !needsAttempts || !(writer.guessed || !assumed.isEmpty)
        || writer.result.remapped == assumed
      {
        return try writer.finished(changes)
      }
      assumed = writer.result.remapped
      try connection.execute("ROLLBACK TO attempt")
      files?.restart()
    }
    throw DataStoreError(.uniqueConflict, "new objects make each other equal to stored ones")
  }

  private func writeRows(_ changes: StoreChanges) throws {
    result.remapped.reserveCapacity(changes.inserted.count)
    try perform(changes.bulkChanges)
    try delete(changes.deleted)
    try update(changes.updated)
    try insert(changes.inserted)
    if let next = changes.nextKey {
      try beginKeys()
      freeKey = max(freeKey, next)
    }
  }

  private func finished(_ changes: StoreChanges) throws -> StoreChangesResult {
    try changes.checkInsertions(result)
    try settleWaiting()
    for list in lists { try write(list) }
    try partFormerPartners()
    try search.settle()
    if connection.hasDanglingReferences { try dropDanglingReferences() }
    try keepSharedFiles()
    if let firstFreeKey, freeKey != firstFreeKey {
      try StoreNumbers.check(freeKey, of: "keys", file: nil)
      try Metadata.set(.nextKey, to: freeKey, on: connection)
    }
    result.isInHistory = try writeHistory(of: changes)
    connection.inexactRows.keep(after: version)
    return result
  }

  /// Takes the next key of the store, which no row ever had.
  func takeKey(for record: DefaultSnapshot) throws -> Int64 {
    if let key = givenKeys[record.persistentIdentifier] {
      try beginKeys()
      try StoreNumbers.check(key, from: freeKey, of: record.persistentIdentifier.entityName)
      freeKey = key
    }
    return try takeKeys(1)
  }

  /// Takes keys that follow each other and that no row ever had, and gives the first.
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

  /// Makes room for new records that become rows.
  func expectRemapping(of count: Int) { result.remapped.reserveCapacity(count) }

  /// Notes which row a new record became.
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

  /// The key of the row that an identifier means, nil while a new record's is not known.
  func key(of identifier: PersistentIdentifier) -> Int64? {
    switch identifier.key {
    case .integer(let key): key
    case .temporary(let number): newKeys[number] ?? assumed[identifier]?.integerKey
    case .text: result.remapped[identifier]?.integerKey
    }
  }

  /// Gives each new record of sources its key, so that whatever is written can refer to it.
  private func dealKeys(to sources: ChangeSources) throws {
    for source in sources.inserted { result.firstKeys.append(try takeKeys(source.count)) }
    guard var key = result.firstKeys.first else { return }
    for number in sources.numbers {
      newKeys.set(key, of: number)
      key += 1
    }
  }

  /// Marks a column as one that holds a value which SQL compares otherwise than Swift.
  func mark(_ column: ColumnMap, in table: TableMap) throws {
    let key = InexactColumns.key(of: column, in: table)
    guard marks.insert(key).inserted else { return }
    try InexactColumns.mark(key, on: connection)
    finder.noteMark(key)
  }

  /// Marks a column as one that holds references to files.
  func markFiles(_ column: ColumnMap, in table: TableMap) throws {
    let key = FileColumns.key(of: column, in: table.name)
    if marks.insert(key).inserted { try InexactColumns.mark(key, on: connection) }
  }

  /// Notes rows that a batch has removed.
  func noteDeleted(_ identifiers: [PersistentIdentifier]) { result.deleted += identifiers }

  /// Notes rows that a batch has changed.
  func noteUpdated(_ identifiers: [PersistentIdentifier]) { result.updated += identifiers }
}

/// A value of a row that refers to rows which were not inserted when the row was written.
struct WaitingValue {
  let key: Int64
  let plan: WritePlan
  let column: WriteColumn
  let value: StoreValue
  /// Whether the value is a list of members that join those of the row.
  var isAddition = false
}

/// The members of a relationship with a table of its own.
struct WaitingList {
  let owner: Int64
  let join: JoinMap
  let value: StoreValue
  let entity: StoreEntity
  let property: Int
  /// Whether the members join those of the row.
  var isAddition = false
}
