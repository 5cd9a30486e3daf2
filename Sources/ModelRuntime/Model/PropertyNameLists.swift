/// Lists of property names, the plain form of indexes and constraints.
protocol PropertyNameLists {
  /// The names, one list for each index or constraint; `nil` for a key path that is not a persisted
  /// property.
  var namesOrNil: [[String?]] { get }
}

extension PropertyNameLists {
  /// The names, one list for each index or constraint.
  var propertyNames: [[String]] { namesOrNil.map { $0.compactMap(\.self) } }
}
