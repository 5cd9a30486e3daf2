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
