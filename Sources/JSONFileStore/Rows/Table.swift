import StoreProtocol

/// The rows of one entity in memory.
///
/// Invariants:
/// 1. `keys` rises strictly; new rows go to the end, since new keys are above all others.
/// 2. Each column has one value for each slot, rows that were deleted included.
/// 3. An index that is there knows every row that is alive and no other.
struct Table: Sendable {
  let entity: StoreEntity
  /// A state of some rows.
  struct Version: Hashable, Sendable {
    let origin: UInt64
    var changes = 0
  }

  /// The scope that all identifiers of the entity share.
  var scope: PersistentIdentifier.Scope
  /// The row keys by slot.
  private(set) var keys: [Int64] = []
  /// The values by property and slot.
  private(set) var columns: [Column]
  /// What tells the rows apart from all others and from themselves before a change.
  private(set) var version: Version
  /// The save that last changed each row, as far as saves of this process did; the others have
  /// the first version.
  private var saves: [Int64] = []
  private var dead = Bitmap()
  private var deadCount = 0
  /// For to-one properties that were asked for: the slots by the key that they refer to.
  private var slotsByReference: [Int: [Int64: [Int32]]] = [:]
  /// The properties of `slotsByReference`, apart so that walking them copies no index.
  private var indexed: [Int] = []
  /// The rows in the order of properties that were asked for.
  private var indexes = TableIndexes()

  init(entity: StoreEntity, scope: PersistentIdentifier.Scope) {
    self.entity = entity
    self.scope = scope
    version = Version(origin: .random(in: .min ... .max))
    columns = entity.properties.map { Column(type: CellType($0, in: entity)) }
  }

  /// Creates the table of rows that were read.
  ///
  /// - Parameters:
  ///   - entity: The entity.
  ///   - scope: What the identifiers of its rows share.
  ///   - keys: The rows' keys, rising.
  ///   - columns: One for each property, each with one value for each key.
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
    version = Version(origin: .random(in: .min ... .max))
  }

  /// The number of rows.
  var count: Int { keys.count - deadCount }

  /// The number of slots, those of deleted rows included.
  var slotCount: Int { keys.count }

  /// Whether every slot has a row.
  var isWhole: Bool { deadCount == 0 }

  @inline(__always)
  func isAlive(_ slot: Int) -> Bool { deadCount == 0 || !dead.contains(slot) }

  /// The slot of a row, or nil where there is no such row.
  @inline(__always)
  func slot(of key: Int64) -> Int? {
    guard let first = keys.first, key >= first else { return nil }
    // Keys rise, so that a row is at most as far behind the first as its key is above it. Where
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

  /// The number of the save that last changed a row.
  func rowVersion(_ slot: Int) -> Int64 { slot < saves.count ? saves[slot] : 1 }

  /// Notes which save changed a row last.
  mutating func stamp(_ slot: Int, save: Int64) {
    if slot >= saves.count {
      saves.append(contentsOf: repeatElement(1, count: slot + 1 - saves.count))
    }
    saves[slot] = save
  }

  func cells(_ slot: Int) -> [Cell] { columns.map { $0.cell(slot) } }

  mutating func reserve(_ count: Int) {
    keys.reserveCapacity(count)
    for index in columns.indices { columns[index].reserve(count) }
  }

  /// Adds a row with a key above all others and one cell for each property.
  mutating func append(key: Int64, cells: [Cell]) {
    let slot = keys.count
    version.changes += 1
    keys.append(key)
    for index in columns.indices {
      columns[index].append(index < cells.count ? cells[index] : .null, at: slot)
    }
    for property in indexed { addToIndex(property, slot) }
    indexes.insert(slot, columns)
  }

  /// Adds a row straight from its values; those that are not what a column has are made cells.
  ///
  /// The table has no indexes. After an error it must not be used.
  mutating func append(
    key: Int64,
    values: [StoreValue],
    cell: (StoreValue, Int, CellType) throws -> Cell
  ) throws {
    let slot = keys.count
    version.changes += 1
    keys.append(key)
    for index in columns.indices where !columns[index].append(plain: values[index]) {
      columns[index].append(try cell(values[index], index, columns[index].type), at: slot)
    }
  }

  /// Adds all rows of another table of the entity, whose keys are above all others.
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
    indexes.insert(first..<keys.count, columns)
  }

  mutating func set(_ cell: Cell, at property: Int, slot: Int) {
    let isIndexed = isIndexed(property)
    version.changes += 1
    if isIndexed { removeFromIndex(property, slot) }
    indexes.remove(slot, columns, of: property)
    columns[property].set(cell, at: slot)
    indexes.insert(slot, columns, of: property)
    if isIndexed { addToIndex(property, slot) }
  }

  mutating func remove(slot: Int) {
    version.changes += 1
    for property in indexed { removeFromIndex(property, slot) }
    indexes.remove(slot, columns)
    for index in columns.indices { columns[index].set(.null, at: slot) }
    dead.insert(slot)
    deadCount += 1
    if deadCount > 1000, deadCount > keys.count / 2 { compact() }
  }

  /// Closes the gaps that deleted rows left.
  private mutating func compact() {
    var table = Table(entity: entity, scope: scope)
    table.reserve(count)
    for slot in keys.indices where isAlive(slot) {
      table.append(key: keys[slot], cells: cells(slot))
      if slot < saves.count { table.stamp(table.keys.count - 1, save: saves[slot]) }
    }
    table.version = version
    self = table
  }

  // The rows in an order.

  /// The index by some properties, where it was asked for before.
  func index(by properties: [Int]) -> TableIndex? { indexes.index(by: properties) }

  /// Keeps an index that was made of these rows.
  mutating func keep(_ index: TableIndex) { indexes.keep(index) }

  // The slots that refer to a row.

  /// Whether the rows that refer to a row by a property can be found at once.
  func isIndexed(_ property: Int) -> Bool { slotsByReference[property] != nil }

  /// Makes the rows that refer to a row by a property findable at once.
  mutating func index(_ property: Int) {
    guard !isIndexed(property) else { return }
    var slots: [Int64: [Int32]] = [:]
    let column = columns[property]
    for slot in keys.indices where isAlive(slot) && !column.isNull(slot) {
      slots[column.integer(slot), default: []].append(Int32(slot))
    }
    slotsByReference[property] = slots
    indexed.append(property)
  }

  /// The slots of the rows that refer to a key, in no order; the property must be indexed.
  func slots(referringTo key: Int64, by property: Int) -> [Int32] {
    slotsByReference[property]?[key] ?? []
  }

  private mutating func addToIndex(_ property: Int, _ slot: Int) {
    guard case .integer(let key) = columns[property].cell(slot) else { return }
    slotsByReference[property]?[key, default: []].append(Int32(slot))
  }

  private mutating func removeFromIndex(_ property: Int, _ slot: Int) {
    guard case .integer(let key) = columns[property].cell(slot) else { return }
    slotsByReference[property]?[key]?.removeAll { $0 == Int32(slot) }
  }
}
