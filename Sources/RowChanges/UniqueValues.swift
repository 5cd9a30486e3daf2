import Foundation
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

extension StoreValue {
  /// A form whose exact equality is Swift's equality of the values, or `nil` for a value that
  /// equals nothing.
  fileprivate var comparedForm: StoreValue? {
    switch self {
    case .null: nil
    case .string(let text): .string(text.composed)
    case .double(let number): number.isNaN ? nil : .double(number == 0 ? 0 : number)
    case .date(let date): StoreValue.double(date.timeIntervalSinceReferenceDate).comparedForm
    case .identifier(let identifier):
      identifier.isTemporary ? nil : identifier.integerKey.map(StoreValue.integer) ?? self
    default: self
    }
  }
}
