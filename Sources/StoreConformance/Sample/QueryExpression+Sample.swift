import StoreProtocol

/// Short names for the expressions that the checks write most.
extension QueryExpression {
  /// A property of the fetched row.
  static func row(_ name: String) -> QueryExpression { .property(.element(0), name) }

  /// Compares a property with a constant.
  static func row(
    _ name: String,
    _ comparison: Comparison,
    _ value: StoreValue
  ) -> QueryExpression {
    .compare(comparison, row(name), .constant(value))
  }
}

extension StoreQuery {
  /// A query with a filter.
  init(_ entity: String, where filter: QueryExpression) {
    self.init(entity: entity, filter: filter)
  }
}
