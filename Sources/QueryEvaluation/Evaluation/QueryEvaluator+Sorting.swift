import StoreProtocol

extension QueryEvaluator {
  /// Returns rows in the order of sort terms, and then of keys.
  public func sorted(_ rows: [Row], by terms: [QuerySort]) throws -> [Row] {
    try rows.withUnsafeBufferPointer { rows in
      let order = try RowOrder(rows, Array(rows.indices), terms, reader: reader(of:))
      return order.first(rows.count).map { rows[$0] }
    }
  }
}
