extension StoreEntity {
  /// Returns the properties of an index that would find the rows of a filter, or an empty list.
  ///
  /// They are the attributes that equal a constant, followed by one that is in a range.
  ///
  /// - Parameters:
  ///   - filter: The filter of a query that scans all rows.
  ///   - indexes: The properties of the existing indexes. If one begins with such an attribute, the
  ///     store has decided not to use it.
  /// - Returns: The names of the properties.
  package func missingIndex(for filter: QueryExpression?, besides indexes: [[String]]) -> [String] {
    var names: [String] = []
    var range: String?
    for condition in filter?.conditions ?? [] {
      switch condition {
      case .compare(.equal, .property(.element(0), let name), .constant),
        .compare(.equal, .constant, .property(.element(0), let name)):
        names.append(name)
      case .compare(let comparison, .property(.element(0), let name), .constant),
        .compare(let comparison, .constant, .property(.element(0), let name)):
        if comparison != .notEqual { range = range ?? name }
      case .isInRange(.property(.element(0), let name), lower: .constant, upper: .constant, _):
        range = range ?? name
      default: break
      }
    }
    if let range { names.append(range) }
    names = names.filter(isScalar).withoutRepeats
    return indexes.contains { names.contains($0.first ?? "") } ? [] : names
  }

  /// Whether a property is an attribute whose values each store compares by an index.
  private func isScalar(_ name: String) -> Bool {
    switch property(named: name)?.attributeType {
    case nil, .decimal, .data, .codable: false
    default: true
    }
  }
}

extension QueryExpression {
  fileprivate var conditions: [QueryExpression] {
    if case .and(let parts) = self { parts } else { [self] }
  }
}
