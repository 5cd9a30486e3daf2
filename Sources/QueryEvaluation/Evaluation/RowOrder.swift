import StoreProtocol

/// The order of rows by sort terms, with ties by key.
struct RowOrder {
  private let positions: [Int]
  private let isInOrder: Bool
  private let precedes: (Int, Int) -> Bool

  /// Reads the sort values, once for each row.
  init<Row: QueryRow>(
    _ rows: UnsafeBufferPointer<Row>,
    _ positions: [Int],
    _ terms: [QuerySort],
    reader: (QueryExpression) throws -> (Row) throws -> StoreValue
  ) throws {
    self.positions = positions
    var identifiers: [PersistentIdentifier] = []
    identifiers.reserveCapacity(positions.count)
    for position in positions { identifiers.append(rows[position].identifier) }
    let ties = SortColumn.order(of: identifiers)
    isInOrder =
      terms.isEmpty && positions.indices.dropFirst().allSatisfy { ties($0 - 1, $0) < 0 }
    let orders = try terms.map { term in
      let read = try reader(term.value)
      return SortColumn.order(
        of: try positions.map { try read(rows[$0]) },
        isReversed: term.isReversed
      )
    }
    precedes = Self.chained(orders + [ties])
  }

  // Usually there are one or two terms: a loop over terms would cost more than the comparisons.
  private static func chained(_ orders: [SortColumn.Order]) -> (Int, Int) -> Bool {
    let (first, rest) = (orders[0], orders.dropFirst())
    if rest.isEmpty { return { first($0, $1) < 0 } }
    let next = chained(Array(rest))
    return { a, b in
      let order = first(a, b)
      return order == 0 ? next(a, b) : order < 0
    }
  }

  func first(_ count: Int) -> [Int] {
    if isInOrder { return Array(positions.prefix(count)) }
    guard count > 0 else { return [] }
    let order =
      count < 1_000 && count < positions.count / 8
      ? positions.indices.smallest(count, by: precedes)
      : positions.indices.sorted(by: precedes)
    return order.prefix(count).map { positions[$0] }
  }
}
