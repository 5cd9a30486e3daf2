/// The indexes of one table, kept in step with its rows.
struct TableIndexes: Sendable {
  private var list: [TableIndex] = []

  /// The index by given properties, if there is one.
  func index(by properties: [Int]) -> TableIndex? { list.first { $0.properties == properties } }

  mutating func keep(_ index: TableIndex) {
    list.removeAll { $0.properties == index.properties }
    list.append(index)
  }

  /// Takes many new rows in, which costs less than each by itself.
  mutating func insert(_ slots: Range<Int>, _ columns: [Column]) {
    if list.isEmpty { return }
    for number in list.indices { list[number].insert(Array(slots), columns) }
    dropStale()
  }

  /// Takes a row in, or only where a property matters.
  mutating func insert(_ slot: Int, _ columns: [Column], of property: Int? = nil) {
    for number in list.indices where matters(property, number) {
      list[number].insert(slot, columns)
    }
    dropStale()
  }

  /// Takes a row out, or only where a property matters, before its values change.
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
