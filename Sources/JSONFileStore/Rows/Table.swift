import StoreProtocol
import Synchronization

/// The rows of one entity in memory.
///
/// Invariants:
/// 1. `keys` increases strictly; new rows are appended, because new keys are above all others.
/// 2. Each column has one value for each slot, including deleted rows.
/// 3. An existing index contains exactly the rows that are not deleted.
struct Table: Sendable {
  let entity: StoreEntity
  /// The identifier of one state of the rows.
  struct Version: Hashable, Sendable {
    /// The number of the table among those of the process.
    let origin: UInt64
    var changes = 0
  }

  /// The scope that all identifiers of the entity share.
  var scope: PersistentIdentifier.Scope
  /// The row keys by slot.
  private(set) var keys: [Int64] = []
  /// The values by property and slot.
  private(set) var columns: [Column]
  /// The version, which distinguishes these rows from all others, and from themselves before a
  /// change.
  private(set) var version: Version
  /// The number of the save that last changed each row, for saves of this process; the other rows
  /// have the first version.
  private var saves: [Int64] = []
  private var dead = Bitmap()
  private var deadCount = 0
  /// The slots by the key that they refer to, for each requested to-one property.
  private var references: [Int: ReferenceIndex] = [:]
  /// The properties of `references`, separate so that iterating over them copies no index.
  private var indexed: [Int] = []
  /// The rows in the order of requested properties, or `nil` until the first request.
  private var indexes: TableIndexes?
  /// The number of tables that this process has created.
  private static let count = Atomic<UInt64>(0)

  init(entity: StoreEntity, scope: PersistentIdentifier.Scope) {
    let columns = entity.properties.map { Column(type: CellType($0, in: entity)) }
    self.init(entity: entity, scope: scope, keys: [], columns: columns)
  }

  /// Creates the table of rows that were read.
  ///
  /// - Parameters:
  ///   - entity: The entity.
  ///   - scope: The common scope of its rows' identifiers.
  ///   - keys: The rows' keys, in ascending order.
  ///   - columns: One column for each property, each with one value for each key.
  init(
    entity: StoreEntity,
    scope: PersistentIdentifier.Scope,
    keys: [Int64],
    columns: [Column]
  ) {
    self.entity = entity
    self.scope = scope
    self.keys = keys
    self.columns = columns
    version = Version(origin: Self.count.add(1, ordering: .relaxed).newValue)
  }

  /// The number of rows.
  var count: Int { keys.count - deadCount }

  /// The number of slots, including those of deleted rows.
  var slotCount: Int { keys.count }

  /// Whether no slot belongs to a deleted row.
  var isWhole: Bool { deadCount == 0 }

  @inline(__always)
  func isAlive(_ slot: Int) -> Bool { deadCount == 0 || !dead.contains(slot) }

  /// Returns the slot of a row, or `nil` if there is no such row.
  @inline(__always)
  func slot(of key: Int64) -> Int? {
    guard let first = keys.first, key >= first else { return nil }
    // Keys increase strictly, so the slot of a row is at most the difference from the first key. If
    // all keys in between are in this table, it is exactly there.
    let distance = key &- first
    var high = distance < Int64(keys.count) ? Int(distance) : keys.count - 1
    if distance < 0 { high = keys.count - 1 }
    if keys[high] != key {
      var low = 0
      while low < high {
        let middle = (low + high) / 2
        if keys[middle] < key { low = middle + 1 } else { high = middle }
      }
      if keys[high] != key { return nil }
    }
    return isAlive(high) ? high : nil
  }

  func identifier(_ slot: Int) -> PersistentIdentifier {
    PersistentIdentifier(scope: scope, key: .integer(keys[slot]))
  }

  /// Returns the number of the save that last changed a row.
  func rowVersion(_ slot: Int) -> Int64 { slot < saves.count ? saves[slot] : 1 }

  /// Sets the number of the save that last changed a row.
  mutating func stamp(_ slot: Int, save: Int64) {
    if slot >= saves.count {
      saves.append(contentsOf: repeatElement(1, count: slot + 1 - saves.count))
    }
    saves[slot] = save
  }

  func cells(_ slot: Int) -> [Cell] { columns.map { $0.cell(slot) } }

  /// Appends a row with a key above all others and one cell for each property.
  mutating func append(key: Int64, cells: [Cell]) {
    let slot = keys.count
    version.changes += 1
    keys.append(key)
    for index in columns.indices {
      columns[index].append(index < cells.count ? cells[index] : .null, at: slot)
    }
    for property in indexed { addToIndex(property, slot) }
    indexes?.insert(slot, columns)
  }

  /// Appends all rows of another table of the entity, whose keys are above all others.
  mutating func append(_ rows: Table, save: Int64) {
    let first = keys.count
    version.changes += rows.keys.count
    keys += rows.keys
    for index in columns.indices { columns[index].append(rows.columns[index], at: first) }
    saves.append(contentsOf: repeatElement(1, count: max(first - saves.count, 0)))
    saves.append(contentsOf: repeatElement(save, count: rows.keys.count))
    for property in indexed {
      for slot in first..<keys.count { addToIndex(property, slot) }
    }
    indexes?.insert(first..<keys.count, columns)
  }

  mutating func set(_ cell: Cell, at property: Int, slot: Int) {
    let isIndexed = indexed.contains(property)
    version.changes += 1
    if isIndexed { removeFromIndex(property, slot) }
    indexes?.remove(slot, columns, of: property)
    columns[property].set(cell, at: slot)
    indexes?.insert(slot, columns, of: property)
    if isIndexed { addToIndex(property, slot) }
  }

  mutating func remove(slot: Int) {
    version.changes += 1
    for property in indexed { removeFromIndex(property, slot) }
    indexes?.remove(slot, columns)
    for index in columns.indices { columns[index].set(.null, at: slot) }
    dead.insert(slot)
    deadCount += 1
    if deadCount > 1000, deadCount > keys.count / 2 { compact() }
  }

  /// Removes the slots of deleted rows.
  private mutating func compact() {
    var table = Table(entity: entity, scope: scope)
    for slot in keys.indices where isAlive(slot) {
      table.append(key: keys[slot], cells: cells(slot))
      if slot < saves.count { table.stamp(table.keys.count - 1, save: saves[slot]) }
    }
    table.version = version
    self = table
  }

  // The rows in an order.

  /// Returns the index by some properties, or `nil` if it was not requested before.
  func index(by properties: [Int]) -> TableIndex? { indexes?.index(by: properties) }

  /// Keeps an index of these rows.
  mutating func keep(_ index: TableIndex) {
    if indexes == nil { indexes = TableIndexes() }
    indexes?.keep(index)
  }

  // The slots that refer to a row.

  /// Returns whether the rows that refer to others by a property are indexed.
  func isIndexed(_ property: Int) -> Bool { references[property] != nil }

  /// Indexes the rows that refer to others by a property.
  mutating func index(_ property: Int) {
    guard !isIndexed(property) else { return }
    var index = ReferenceIndex()
    let column = columns[property]
    for slot in keys.indices where isAlive(slot) && !column.isNull(slot) {
      index.add(slot, referringTo: column.integer(slot))
    }
    references[property] = index
    indexed.append(property)
  }

  /// Returns the slots of the rows that refer to a key, in no particular order; the property must
  /// be indexed.
  func slots(referringTo key: Int64, by property: Int) -> [Int32] {
    references[property]?.slots(referringTo: key) ?? []
  }

  private mutating func addToIndex(_ property: Int, _ slot: Int) {
    guard case .integer(let key) = columns[property].cell(slot) else { return }
    references[property]?.add(slot, referringTo: key)
  }

  private mutating func removeFromIndex(_ property: Int, _ slot: Int) {
    guard case .integer(let key) = columns[property].cell(slot) else { return }
    references[property]?.remove(slot, referringTo: key)
  }
}
