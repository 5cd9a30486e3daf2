import Foundation

extension StoreValue {
  /// The form in which unique values are compared, or `nil` for a value that equals no other.
  ///
  /// Null and NaN equal no other. Forms are equal exactly if Swift calls the values equal: canonically equivalent strings, positive
  /// and negative zero, and identifiers of one row.
  ///
  /// - Complexity: O(*n*) in the length of a string.
  public var comparedForm: StoreValue? {
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
