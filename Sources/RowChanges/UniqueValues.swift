import StoreProtocol

/// The values of a constraint's properties in one row, with Swift's equality.
package struct UniqueValues: Hashable, Sendable {
  package let constraint: StoreConstraint
  /// The values in the form in which they are compared.
  package let values: [StoreValue]

  /// Creates the values of a row, or returns `nil` if one is nil or NaN, which equals no other
  /// value.
  package init?(_ constraint: StoreConstraint, of row: DefaultSnapshot) {
    self.constraint = constraint
    values = constraint.properties.compactMap { row[$0]?.comparedForm }
    guard values.count == constraint.properties.count else { return nil }
  }

  /// The entity that declares the constraint.
  var entity: String { constraint.entity }
  /// The names of the constraint's properties.
  var properties: [String] { constraint.properties }
}
