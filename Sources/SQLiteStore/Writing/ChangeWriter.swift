import SQLTranslation
import StoreFiles
import StoreHelpers
import StoreProtocol

/// Writes one batch of changes in the open transaction.
///
/// The order of effect is that of the contract: deletions, updates, insertions. A deleted row thus
/// releases its unique values for the rows that are written. The key of a new row is known once it is
/// inserted, or merged into a stored row; references to it wait until then. Relationships with tables
/// of their own are written after all rows, which they refer to.
final class ChangeWriter {
  let catalog: Catalog
  let connection: Connection

  /// The files of large values, or `nil` if all values are in their rows.
  let files: ValueFileBatch?

  /// The keys of new rows by the numbers of their temporary identifiers, or `nil` if no row of the
  /// batch can refer to another.
  private(set) var newKeys: TemporaryKeys?

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
  /// The next key that no row has ever had, once the first was requested.
  var freeKey: Int64 = 0
  /// The keys that are requested for new records.
  let givenKeys: [PersistentIdentifier: Int64]
  /// The former one-to-one counterparts of merged rows.
  var counterparts: [FormerCounterpart] = []
  /// The new records among the counterparts, by the numbers of their temporary identifiers.
  var newCounterparts: [Int64: PersistentIdentifier] = [:]
  private(set) lazy var finder = UniqueFinder(connection: connection, catalog: catalog)

  /// The writer of the indexes of words, or `nil` if the store has none.
  let search: SearchWriter?

  /// The keys of the rows that new ones are assumed to become, from an earlier attempt.
  private let assumed: TemporaryKeys?

  let history: HistoryOptions

  /// Collects the batch's changes to rows, or `nil` if the history records none.
  var recorder: HistoryRecorder?

  /// Whether unique values referred to a record whose row was not known.
  var guessed = false

  /// Whether the row being written refers to a deleted one by a unique reference, which is then null.
  private var losesUniqueReference = false

  /// Creates the writer of a batch, with the rows that new ones are assumed to become.
  init(
    _ changes: StoreChanges,
    catalog: Catalog,
    connection: Connection,
    files: ValueFileBatch?,
    history: HistoryOptions,
    assumed: TemporaryKeys? = nil
  ) {
    version = connection.save
    givenKeys = changes.keys
    self.history = history
    recorder = history.content == .off ? nil : HistoryRecorder(history.content, of: changes)
    result = StoreChangesResult(version: version)
    self.catalog = catalog
    self.connection = connection
    self.files = files
    self.assumed = assumed
    search = catalog.hasSearchIndexes ? SearchWriter(on: connection) : nil
    // Nothing is kept of attempts that are rolled back.
    if !connection.inexactRows.indexes.isEmpty,
      catalog.hasUniqueReferences || connection.inexactRows.save != version - 1
    {
      connection.inexactRows = InexactRows()
    }
  }

  /// Applies the batch.
  func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    if !changes.expectedVersions.isEmpty {
      try VersionCheck(catalog: catalog, connection: connection).check(changes.expectedVersions)
    }
    // If no row can refer to another, none is looked up by its temporary number.
    if !changes.insertions.isEmpty,
      try (changes.insertions + changes.updates).contains(where: {
        try catalog.writePlan(of: $0.entityName).mayRefer
      })
    {
      let keys = TemporaryKeys(of: changes.insertions)
      if catalog.hasUniqueReferences { return try applyInAttempts(changes, keys) }
      newKeys = keys
    }
    try writeRows(changes)
    return try finished(changes)
  }

  /// Applies a batch of records whose unique values can refer to each other.
  ///
  /// Which row a record becomes can then depend on the rows that others become. If those come later in
  /// the batch, it is applied again with the result, until the result equals the assumption.
  private func applyInAttempts(
    _ changes: StoreChanges,
    _ newKeys: TemporaryKeys
  ) throws -> StoreChangesResult {
    var assumed = newKeys
    let count = changes.insertions.reduce(0) { $0 + $1.count }
    try connection.execute("SAVEPOINT attempt")
    for _ in 0...count + 1 {
      let writer = ChangeWriter(
        changes,
        catalog: catalog,
        connection: connection,
        files: files,
        history: history,
        assumed: assumed
      )
      writer.newKeys = newKeys
      try writer.writeRows(changes)
      guard writer.guessed || !assumed.isEmpty, let keys = writer.newKeys, keys != assumed else {
        return try writer.finished(changes)
      }
      assumed = keys
      try connection.execute("ROLLBACK TO attempt")
      files?.restart()
    }
    throw DataStoreError.endlessMerges
  }

  private func writeRows(_ changes: StoreChanges) throws {
    if !changes.bulkChanges.isEmpty { try perform(changes) }
    if !changes.deleted.isEmpty {
      let isProtected = !changes.protectedReferences.isEmpty
      try delete(
        changes.deleted,
        isProtected ? ReferenceProtection(changes, catalog.map.schema) : nil
      )
    }
    if !changes.updates.isEmpty { try update(changes.updates) }
    if !changes.insertions.isEmpty { try insert(changes.insertions) }
    if let next = changes.nextKey { freeKey = max(try nextKey(), next) }
  }

  /// Completes the written rows with what some of them need beyond their statements.
  private func finished(_ changes: StoreChanges) throws -> StoreChangesResult {
    if !result.merged.isEmpty { try changes.checkInsertions(result, in: catalog.map.schema) }
    if !waiting.isEmpty { try writePostponed() }
    for list in lists { try write(list) }
    if !counterparts.isEmpty { try detachFormerCounterparts() }
    try search?.updateIndexes()
    if !written.isEmpty, connection.hasDanglingReferences {
      try dropDanglingReferences(except: changes.protectedReferences)
    }
    if let files, !files.released.isEmpty { try keepSharedFiles(files) }
    if let firstFreeKey, freeKey != firstFreeKey {
      try StoreNumbers.check(freeKey, of: "keys", file: nil)
      try Metadata.set(.nextKey, to: freeKey, on: connection)
    }
    result.isInHistory = try writeHistory(of: changes)
    if !connection.inexactRows.indexes.isEmpty { connection.inexactRows.keep(after: version) }
    return result
  }

  /// Takes consecutive keys that no row has ever had, and returns the first.
  func takeKeys(_ count: Int) throws -> Int64 {
    let key = try nextKey()
    freeKey += Int64(count)
    return key
  }

  /// Returns the key that a new row of a run gets from the batch, or the next one.
  func givenKey(of run: RowRun, _ position: Int) throws -> Int64 {
    if let key = givenKeys[run.identifiers[position]] {
      try StoreNumbers.check(key, from: freeKey, of: run.entityName)
      freeKey = key
    }
    return freeKey
  }

  /// The key that the next new row gets.
  func nextKey() throws -> Int64 {
    if firstFreeKey == nil {
      freeKey = try Metadata.nextKey(from: connection)
      firstFreeKey = freeKey
      recorder?.firstNewKey = freeKey
    }
    return freeKey
  }

  /// Records the key of a row of a run.
  func noteKey(_ key: Int64, _ position: Int, of run: RowRun, _ plan: WritePlan) {
    if let number = run.identifiers.temporaryNumber(at: position) { newKeys?.set(key, of: number) }
    // Given keys need not follow each other.
    if run.needsNames || !givenKeys.isEmpty {
      result.remapped[run.identifiers[position]] = PersistentIdentifier(
        scope: plan.scope,
        key: .integer(key)
      )
    }
  }

  /// Records the stored row that a row of a run became.
  func noteMerge(_ position: Int, of run: RowRun, into row: UniqueFinder.Row) throws {
    let new = run.identifiers[position]
    if let number = new.temporaryNumber { newKeys?.set(row.key, of: number) }
    result.remapped[new] = try catalog.identifier(row.key, of: row.entity)
    result.merged.insert(new)
  }

  /// Returns the key of the row of an identifier, or `nil` while a new record's is not known.
  func key(of identifier: PersistentIdentifier) -> Int64? {
    key(of: identifier.key) ?? result.remapped[identifier]?.integerKey
  }

  /// Returns the key of the row that a key names, or `nil` while that is not known.
  func key(of key: PersistentIdentifier.Key) -> Int64? {
    switch key {
    case .integer(let key): key
    case .temporary(let number): newKeys?[number] ?? assumed?[number]
    case .text: nil
    }
  }

  /// Binds null for a unique reference to a row that does not exist.
  func loseUniqueReference() { losesUniqueReference = true }

  /// Names the row that was written, if it lost a unique reference.
  func noteLostReference(of key: Int64, _ map: EntityMap) throws {
    guard losesUniqueReference else { return }
    losesUniqueReference = false
    result.changedByStore.append(try finder.identifier(of: key, map))
  }

  /// Marks a column as one with a value that SQL compares differently than Swift.
  func mark(_ column: ColumnMap, in table: TableMap) throws {
    let key = column.inexactMark(in: table.name)
    if try mark(key) { finder.noteMark(key) }
  }

  /// Adds a mark of a column to the metadata table, and returns whether the batch had not added it.
  func mark(_ key: String) throws -> Bool {
    guard marks.insert(key).inserted else { return false }
    try InexactColumns.mark(key, on: connection)
    return true
  }
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
  let plan: WritePlan
  let property: Int
  let value: StoreValue
  /// Whether the row is new, so that it has none yet.
  var isOfNewRow = false
  /// Whether the objects are added to those of the row.
  var isAddition = false

  var entity: StoreEntity { plan.map.entity }
}
