extension QueryEvaluator {
  /// The order that sort terms and then the keys give.
  public func sorted(_ rows: [Row], by terms: [QuerySort]) throws -> [Row] {
    let identifiers = rows.map(\.identifier)
    if terms.isEmpty, zip(identifiers, identifiers.dropFirst()).allSatisfy({ $0 < $1 }) {
      return rows
    }
    let columns = try terms.map { term in
      let reader = try reader(of: term.value)
      return SortColumn(values: try rows.map(reader), isReversed: term.isReversed)
    }
    let order = rows.indices.sorted { first, second in
      for column in columns {
        let order = column.order(first, second)
        if order != 0 { return order < 0 }
      }
      return identifiers[first] < identifiers[second]
    }
    return order.map { rows[$0] }
  }
}

/// The values of one sort term for all rows.
private struct SortColumn {
  let values: [StoreValue]
  let isReversed: Bool

  func order(_ first: Int, _ second: Int) -> Int {
    let order = StoreValue.sortOrder(values[first], values[second])
    return isReversed ? -order : order
  }
}
