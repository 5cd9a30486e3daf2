import StoreProtocol

/// A value that a filter requires of an attribute.
struct Requirement: Sendable {
  /// The name of the attribute.
  let property: String
  let value: StoreValue

  /// Creates the requirement of an attribute being equal to a constant that a filter evaluates
  /// first, or returns `nil` if it begins with another term.
  ///
  /// If the requirement is not met, the filter reads nothing else of the row, so that nothing else
  /// can fail.
  init?(leading filter: QueryExpression) {
    var term = filter
    if case .and(let terms) = filter, let first = terms.first { term = first }
    guard case .compare(.equal, let left, let right) = term else { return nil }
    switch (left, right) {
    case (.property(.element(0), let name), .constant(let value)),
      (.constant(let value), .property(.element(0), let name)):
      guard value.comparesAsStored else { return nil }
      (property, self.value) = (name, value)
    default: return nil
    }
  }
}

extension StoreValue {
  /// Whether values of the kind are equal in a filter exactly if they are equal as stored values.
  var comparesAsStored: Bool {
    switch self {
    case .bool, .integer, .string, .uuid: true
    default: false
    }
  }
}
