import Foundation

/// The conversion of an attribute's values to another type.
package enum AttributeConversion: Hashable, Sendable {
  /// Every value is valid for the newer type and has the same stored form.
  case same
  /// Every value is valid for the newer type after its stored form is converted.
  case widened
  /// A value is valid for the newer type if it fits exactly.
  case checked

  /// Creates the conversion between two types, or returns `nil` if there is none.
  package init?(from old: AttributeType, to new: AttributeType) {
    if old == new {
      self = .same
    } else if let narrow = old.integers, let wide = new.integers {
      self = wide.contains(narrow) ? .same : .checked
    } else if let integers = old.integers, let exact = new.exactIntegers {
      self = exact.contains(integers) ? .widened : .checked
    } else if (old, new) == (.float, .double) || (old, new) == (.url, .string) {
      self = .same
    } else {
      return nil
    }
  }
}

/// A range of integers, wide enough for all types.
struct IntegerRange {
  let lowest: Int64
  let greatest: UInt64

  func contains(_ other: IntegerRange) -> Bool {
    lowest <= other.lowest && other.greatest <= greatest
  }
}

extension AttributeType {
  /// The integers of the type, or `nil` if it is not an integer type.
  var integers: IntegerRange? {
    switch self {
    case .int8: IntegerRange(lowest: Int64(Int8.min), greatest: UInt64(Int8.max))
    case .int16: IntegerRange(lowest: Int64(Int16.min), greatest: UInt64(Int16.max))
    case .int32: IntegerRange(lowest: Int64(Int32.min), greatest: UInt64(Int32.max))
    case .int64: IntegerRange(lowest: .min, greatest: UInt64(Int64.max))
    case .uint8: IntegerRange(lowest: 0, greatest: UInt64(UInt8.max))
    case .uint16: IntegerRange(lowest: 0, greatest: UInt64(UInt16.max))
    case .uint32: IntegerRange(lowest: 0, greatest: UInt64(UInt32.max))
    case .uint64: IntegerRange(lowest: 0, greatest: .max)
    default: nil
    }
  }

  /// The range in which a non-integer type represents every integer exactly.
  var exactIntegers: IntegerRange? {
    switch self {
    case .float: IntegerRange(lowest: -(1 << 24), greatest: 1 << 24)
    case .double: IntegerRange(lowest: -(1 << 53), greatest: 1 << 53)
    case .decimal: IntegerRange(lowest: .min, greatest: .max)
    default: nil
    }
  }

  /// The minimum and maximum integer that a value of another type must be between to fit.
  package var fittingIntegers: (lowest: Int64, greatest: UInt64)? {
    (integers ?? exactIntegers).map { ($0.lowest, $0.greatest) }
  }
}

extension StoreValue {
  /// Returns the value converted to another type, or `nil` if it does not fit exactly.
  package func converted(to type: AttributeType) -> StoreValue? {
    switch (self, type) {
    case (.null, _): return .null
    case (.integer(let number), _):
      if let range = type.fittingIntegers {
        guard number >= range.lowest, number < 0 || UInt64(number) <= range.greatest else {
          return nil
        }
      }
      return type.isInteger ? self : numberConverted(to: type)
    case (.unsigned(let number), _):
      guard let range = type.fittingIntegers, number <= range.greatest else { return nil }
      return type.isInteger ? self : numberConverted(to: type)
    default: return self
    }
  }

  private func numberConverted(to type: AttributeType) -> StoreValue? {
    switch type {
    case .float, .double: Double(storeValue: self).map(StoreValue.double)
    case .decimal: Decimal(storeValue: self).map(StoreValue.decimal)
    default: self
    }
  }
}
