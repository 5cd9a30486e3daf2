import StoreProtocol

/// An order of the rows of one table that its columns decide.
struct ColumnOrder {
  private let precedes: (Int, Int) -> Bool
  /// The column of the first term.
  private let leading: Column
  private let isReversed: Bool
  /// Whether only the first term decides.
  private let isAlone: Bool

  /// Creates an order from sort terms, or returns `nil` if one of them is not a plain property.
  init?(_ terms: [QuerySort], _ number: Int, in view: ReadView) {
    let entity = view.map.schema.entities[number]
    guard let columns = view.tables[number]?.columns else { return nil }
    var orders: [(Int, Int) -> Int] = []
    var leading: Column?
    for term in terms {
      // The order of a reference depends on deleted rows, which a column does not contain.
      guard case .property(.element(0), let name) = term.value,
        let property = entity.indexByName[name],
        columns[property].type.isOrdered, columns[property].type != .reference
      else { return nil }
      let order = columns[property].sortingComparison()
      orders.append(term.isReversed ? { order($1, $0) } : order)
      leading = leading ?? columns[property]
    }
    guard let leading else { return nil }
    self.leading = leading
    isReversed = terms.first?.isReversed == true
    isAlone = terms.count == 1
    precedes = TableIndex.precedence(orders)
  }

  func first(_ count: Int, of slots: [Int32]) -> [Int32] {
    if count < 1_000, count < slots.count / 8 {
      return slots.smallest(count) { precedes(Int($0), Int($1)) }
    }
    let sorted = leading.sorted(slots, isReversed: isReversed, isAlone: isAlone, by: precedes)
    return count < sorted.count ? Array(sorted.prefix(count)) : sorted
  }
}
