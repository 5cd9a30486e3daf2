import StoreProtocol
import Synchronization

/// The rows of one table in the order of some columns; rows with equal values are ordered by slot.
///
/// An index contains only slots: the values are in the columns. It takes four bytes per row.
struct TableIndex: Sendable {
  /// The indices of the properties, most important first.
  let properties: [Int]
  private(set) var slots: SortedSlots
  /// A flag that records whether readers use the index.
  let use = IndexUse()
  /// The number of changes since readers last used the index.
  private var idleChanges = 0
  private var isBroken = false

  /// Sorts the rows of a table.
  ///
  /// - Complexity: O(*n* log *n*) in the number of rows.
  init(_ table: Table, by properties: [Int]) {
    self.properties = properties
    let alive = (0..<Int32(table.slotCount)).filter { table.isAlive(Int($0)) }
    let precedes = Self.precedence(properties.map { table.columns[$0].sortingComparison() })
    let sorted = properties.first.map { property in
      table.columns[property].sorted(alive, isAlone: properties.count == 1, by: precedes)
    }
    slots = SortedSlots(sorted ?? alive)
  }

  /// Whether the index should be dropped: it is broken, or the changes since its last use cost more
  /// than rebuilding it.
  var isStale: Bool { isBroken || idleChanges > max(1000, slots.count / 2) }

  /// Inserts a row with the current values of its columns.
  mutating func insert(_ slot: Int, _ columns: [Column]) {
    noteChange()
    slots.insert(slot, at: position(of: slot, columns))
  }

  /// Inserts many rows at once.
  mutating func insert(_ new: [Int], _ columns: [Column]) {
    // For few rows in a large index, copying the whole index costs more than inserting each row.
    guard new.count > slots.count / 64 else { return new.forEach { insert($0, columns) } }
    idleChanges = use.take() ? 0 : idleChanges + new.count
    let precedes = Self.precedence(properties.map { columns[$0].comparison() })
    var merged: [Int32] = []
    merged.reserveCapacity(slots.count + new.count)
    var done = slots.start
    for slot in new.sorted(by: precedes) {
      let position = slots.partition(from: done) { precedes($0, slot) }
      slots.append(done..<position, to: &merged)
      merged.append(Int32(slot))
      done = position
    }
    slots.append(done..<slots.end, to: &merged)
    slots = SortedSlots(merged)
  }

  /// Removes a row whose columns still have the values with which it was inserted.
  mutating func remove(_ slot: Int, _ columns: [Column]) {
    noteChange()
    let position = position(of: slot, columns)
    if position < slots.end, slots[position] == slot {
      slots.remove(at: position)
    } else {
      isBroken = true
    }
  }

  private mutating func noteChange() { idleChanges = use.take() ? 0 : idleChanges + 1 }

  private func position(of slot: Int, _ columns: [Column]) -> SortedSlots.Position {
    let precedes = Self.precedence(properties.map { columns[$0].comparison() })
    return slots.partition { precedes($0, slot) }
  }

  /// Returns a function that orders rows by several orders, then by slot.
  static func precedence(_ orders: [(Int, Int) -> Int]) -> (Int, Int) -> Bool {
    if orders.count == 1 {
      let order = orders[0]
      return { a, b in
        let order = order(a, b)
        return order == 0 ? a < b : order < 0
      }
    }
    return { a, b in
      for order in orders {
        let order = order(a, b)
        if order != 0 { return order < 0 }
      }
      return a < b
    }
  }

  /// Returns the order of two rows by the first properties of the index.
  func order(_ a: Int, _ b: Int, _ columns: [Column], depth: Int) -> Int {
    for property in properties[..<depth] {
      let order = columns[property].order(a, b)
      if order != 0 { return order }
    }
    return 0
  }

  /// Returns the rows with given values of the first properties, and with a range of the next
  /// property.
  ///
  /// - Complexity: O(log *n*).
  func find(
    _ values: [StoreValue],
    _ range: ValueRange?,
    _ columns: [Column]
  ) -> Range<SortedSlots.Position> {
    let order = order(values, columns)
    guard let range else {
      let start = slots.partition { order($0) < 0 }
      return start..<slots.partition(from: start) { order($0) <= 0 }
    }
    let column = columns[properties[values.count]]
    let (isAbove, isBelow) = (range.isAbove(column), range.isBelow(column))
    if values.isEmpty {
      let start = slots.partition(isAbove)
      return start..<slots.partition(from: start) { !isBelow($0) }
    }
    let start = slots.partition { slot in
      let order = order(slot)
      return order != 0 ? order < 0 : isAbove(slot)
    }
    let end = slots.partition(from: start) { slot in
      let order = order(slot)
      return order != 0 ? order < 0 : !isBelow(slot)
    }
    return start..<end
  }

  /// Returns a function for the order of rows relative to given values of the first properties.
  private func order(_ values: [StoreValue], _ columns: [Column]) -> (Int) -> Int {
    if values.count == 1 { return columns[properties[0]].order(against: values[0]) }
    let orders = zip(properties, values).map { columns[$0].order(against: $1) }
    return { slot in
      for order in orders {
        let order = order(slot)
        if order != 0 { return order }
      }
      return 0
    }
  }
}

/// A flag that records whether readers use an index; shared by all copies of it.
final class IndexUse: Sendable {
  private let wasUsed = Atomic(true)

  func note() { wasUsed.store(true, ordering: .relaxed) }

  /// Returns whether the index was used since the last call.
  func take() -> Bool { wasUsed.exchange(false, ordering: .relaxed) }
}

/// The indexes of one table, synchronized with its rows.
struct TableIndexes: Sendable {
  private var list: [TableIndex] = []

  /// Returns the index by given properties, or `nil` if there is none.
  func index(by properties: [Int]) -> TableIndex? { list.first { $0.properties == properties } }

  mutating func keep(_ index: TableIndex) {
    list.removeAll { $0.properties == index.properties }
    list.append(index)
  }

  /// Inserts many new rows, which costs less than separate insertions.
  mutating func insert(_ slots: Range<Int>, _ columns: [Column]) {
    for number in list.indices { list[number].insert(Array(slots), columns) }
    dropStale()
  }

  /// Inserts a row, optionally only into the indexes of one property.
  mutating func insert(_ slot: Int, _ columns: [Column], of property: Int? = nil) {
    for number in list.indices where matters(property, number) {
      list[number].insert(slot, columns)
    }
    dropStale()
  }

  /// Removes a row, optionally only from the indexes of one property, before its values change.
  mutating func remove(_ slot: Int, _ columns: [Column], of property: Int? = nil) {
    for number in list.indices where matters(property, number) {
      list[number].remove(slot, columns)
    }
    dropStale()
  }

  private func matters(_ property: Int?, _ number: Int) -> Bool {
    property.map(list[number].properties.contains) ?? true
  }

  private mutating func dropStale() {
    if list.contains(where: \.isStale) { list.removeAll(where: \.isStale) }
  }
}
