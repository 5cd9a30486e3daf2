import StoreProtocol

/// Writes one batch of changes in the transaction that is open.
///
/// The order of effect is that of the contract: deletions, updates, insertions. References to rows
/// that are inserted later wait until their keys are known; relationships with tables of their own
/// are written when all rows are.
final class ChangeWriter {
  let catalog: Catalog
  let connection: Connection

  /// What waits for the key of a row that is not inserted yet.
  var waiting: [WaitingValue] = []

  /// The lists that go into tables of their own.
  var lists: [WaitingList] = []

  /// The rows written, by table, for the search for references to rows that do not exist.
  var written: [String: [Int64]] = [:]

  private(set) var result = StoreChangesResult()
  private var marks: Set<String> = []
  private var firstFreeKey: Int64?
  private var freeKey: Int64 = 0
  let finder: UniqueFinder

  init(catalog: Catalog, connection: Connection) {
    self.catalog = catalog
    self.connection = connection
    finder = UniqueFinder(connection: connection)
  }

  func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    result.remapped.reserveCapacity(changes.inserted.count)
    try delete(changes.deleted)
    try update(changes.updated, inserted: changes.inserted)
    try insert(changes.inserted)
    try settleWaiting()
    for list in lists { try write(list) }
    if connection.hasDanglingReferences { try dropDanglingReferences() }
    if let firstFreeKey, freeKey != firstFreeKey {
      try Metadata.set(.nextKey, to: freeKey, on: connection)
    }
    return result
  }

  /// Takes the next key of the store, which no row ever had.
  func takeKey() throws -> Int64 {
    if firstFreeKey == nil {
      guard let key = try Metadata.integer(.nextKey, from: connection), key > 0 else {
        throw DataStoreError(.storeDamaged, "the store has lost count of its keys")
      }
      firstFreeKey = key
      freeKey = key
    }
    defer { freeKey += 1 }
    return freeKey
  }

  /// Notes which row a new record became.
  func remap(
    _ temporary: PersistentIdentifier,
    to key: Int64,
    scope: PersistentIdentifier.Scope,
    isMerged: Bool
  ) {
    result.remapped[temporary] = PersistentIdentifier(scope: scope, key: .integer(key))
    if isMerged { result.merged.insert(temporary) }
  }

  /// The key of the row that an identifier means, nil while a new record's is not known.
  func key(of identifier: PersistentIdentifier) -> Int64? {
    identifier.rowKey ?? result.remapped[identifier]?.rowKey
  }

  /// Marks a column as one that holds a value which SQL compares otherwise than Swift.
  func mark(_ column: ColumnMap, in table: TableMap) throws {
    let key = InexactColumns.key(of: column, in: table)
    guard marks.insert(key).inserted else { return }
    try InexactColumns.mark(key, on: connection)
  }

  private func delete(_ identifiers: [PersistentIdentifier]) throws {
    for identifier in identifiers {
      guard let key = identifier.rowKey else { continue }
      let plan = try catalog.writePlan(of: identifier.entityName)
      try connection.withStatement(plan.deletion) {
        try $0.bind(key, at: 1)
        try $0.run()
      }
    }
  }
}

/// A value of a row that refers to rows which were not inserted when the row was written.
struct WaitingValue {
  let key: Int64
  let plan: WritePlan
  let column: WriteColumn
  let value: StoreValue
}

/// The members of a relationship with a table of its own.
struct WaitingList {
  let owner: Int64
  let join: JoinMap
  let value: StoreValue
  let entity: StoreEntity
  let property: Int
}
