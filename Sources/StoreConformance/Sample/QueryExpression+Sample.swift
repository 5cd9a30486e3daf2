import StoreProtocol

/// Short names for common expressions of the checks.
extension QueryExpression {
  static func integer(_ value: Int64) -> QueryExpression { .constant(.integer(value)) }

  static func string(_ value: String) -> QueryExpression { .constant(.string(value)) }

  /// Returns a property of the fetched row.
  static func row(_ name: String) -> QueryExpression { .property(.element(0), name) }

  /// Returns a comparison of a property with a constant.
  static func row(
    _ name: String,
    _ comparison: Comparison,
    _ value: StoreValue
  ) -> QueryExpression {
    .compare(comparison, row(name), .constant(value))
  }
}

extension StoreQuery {
  init(_ entity: String, where filter: QueryExpression) {
    self.init(entity: entity, filter: filter)
  }
}
