extension StoreEntity {
  /// Returns the properties of an index that would find the rows of a query, or find them in their
  /// order, or an empty list.
  ///
  /// They are the attributes that equal a constant, followed by those of the order, or by one that is
  /// in a range.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - scans: Whether the store examines all rows.
  ///   - sorts: Whether the store sorts the rows that it finds.
  ///   - indexes: The properties of the existing indexes, which the store has decided not to use.
  /// - Returns: The names of the properties.
  package func missingIndex(
    for query: StoreQuery,
    scans: Bool,
    sorts: Bool,
    besides indexes: [[String]]
  ) -> [String] {
    let filter = FilterAttributes(query.filter, isScalar)
    let order = attributes(of: query.decidingTerms).filter { !filter.equal.contains($0) }
    if sorts, filter.isFound(inOrder: order, isLimited: query.limit != nil, scans: scans) {
      let names = filter.equal + order
      return indexes.contains { $0.starts(with: names) } ? [] : names
    }
    guard scans else { return [] }
    let names = (filter.equal + (filter.range.map { [$0] } ?? [])).withoutRepeats
    return indexes.contains { names.contains($0.first ?? "") } ? [] : names
  }

  /// Returns the attributes of the first terms of an order that an index has, which are those of one
  /// direction.
  private func attributes(of sort: [QuerySort]) -> [String] {
    var names: [String] = []
    for term in sort {
      guard case .property(.element(0), let name) = term.value, isScalar(name),
        term.isReversed == sort[0].isReversed
      else { break }
      names.append(name)
    }
    return names.withoutRepeats
  }

  /// Whether a property is an attribute whose values each store compares by an index.
  func isScalar(_ name: String) -> Bool {
    switch property(named: name)?.attributeType {
    case nil, .decimal, .data, .codable: false
    default: true
    }
  }
}

/// The attributes by which an index finds the rows of a filter.
private struct FilterAttributes {
  /// The attributes that equal a constant.
  private(set) var equal: [String] = []
  /// The first attribute that is in a range.
  private(set) var range: String?
  /// Whether there are conditions that no index finds.
  private var hasOthers = false

  init(_ filter: QueryExpression?, _ isScalar: (String) -> Bool) {
    for condition in filter?.conditions ?? [] {
      switch condition {
      case .compare(.equal, .property(.element(0), let name), .constant) where isScalar(name),
        .compare(.equal, .constant, .property(.element(0), let name)) where isScalar(name):
        equal.append(name)
      case .compare(let comparison, .property(.element(0), let name), .constant)
      where comparison != .notEqual && isScalar(name),
        .compare(let comparison, .constant, .property(.element(0), let name))
      where comparison != .notEqual && isScalar(name):
        range = range ?? name
      case .isInRange(.property(.element(0), let name), lower: .constant, upper: .constant, _)
      where isScalar(name):
        range = range ?? name
      default: hasOthers = true
      }
    }
    equal = equal.withoutRepeats
  }

  /// Whether an index with an order after the attributes that are equal is better than sorting.
  ///
  /// All rows are sorted as fast as they are read by an index. If few of the rows in the order pass
  /// the filter, a limit ends no scan of the index.
  func isFound(inOrder order: [String], isLimited: Bool, scans: Bool) -> Bool {
    guard let first = order.first, range == nil || range == first else { return false }
    guard equal.isEmpty else { return isLimited || scans }
    return isLimited && (range != nil || !hasOthers)
  }
}

extension QueryExpression {
  /// The conditions that all hold.
  var conditions: [QueryExpression] {
    if case .and(let parts) = self { parts } else { [self] }
  }
}
