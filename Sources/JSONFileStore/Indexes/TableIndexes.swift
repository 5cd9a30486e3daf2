/// The indexes of one table, kept in step with its rows.
struct TableIndexes: Sendable {
  private var list: [TableIndex] = []
  /// The new rows of a batch that is not at its end, nil when there is none.
  private var waiting: [Int]?

  /// The index by given properties, if there is one.
  func index(by properties: [Int]) -> TableIndex? { list.first { $0.properties == properties } }

  mutating func keep(_ index: TableIndex) {
    list.removeAll { $0.properties == index.properties }
    list.append(index)
  }

  /// Lets new rows wait until ``endBatch(_:)``; until then nothing else may change.
  mutating func beginBatch() { if !list.isEmpty { waiting = [] } }

  /// Takes in all new rows of the batch.
  mutating func endBatch(_ columns: [Column]) {
    guard let new = waiting else { return }
    waiting = nil
    for number in list.indices { list[number].insert(new, columns) }
    dropStale()
  }

  /// Takes a row in, or only where a property matters.
  mutating func insert(_ slot: Int, _ columns: [Column], of property: Int? = nil) {
    if waiting != nil { return waiting?.append(slot) ?? () }
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
