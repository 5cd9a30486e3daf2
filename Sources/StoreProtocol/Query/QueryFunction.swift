import Foundation

/// A property of a value that follows from the value alone, as `date.timeIntervalSince1970`.
///
/// Each case has its name, its key paths, its meaning and its types here, and nowhere else.
public enum QueryFunction: String, CaseIterable, Codable, Hashable, Sendable {
  /// The absolute value of a number.
  case magnitude
  /// A Boolean value that indicates whether a floating-point number is no number.
  case isNaN
  /// A Boolean value that indicates whether a floating-point number is finite.
  case isFinite
  /// A Boolean value that indicates whether a floating-point number is infinite.
  case isInfinite
  /// The seconds from 2001-01-01 00:00:00 UTC to a date.
  case timeIntervalSinceReferenceDate
  /// The seconds from 1970-01-01 00:00:00 UTC to a date.
  case timeIntervalSince1970
  /// The string of a UUID, in upper case.
  case uuidString

  /// Returns the function's value, or `nil` for a value of another kind.
  ///
  /// - Parameter value: The argument, which is not null.
  /// - Returns: The result; `magnitude` of the smallest `Int64` is an unsigned integer.
  package func value(of value: StoreValue) -> StoreValue? {
    switch (self, value) {
    case (.magnitude, .integer(let number)):
      Int64(exactly: number.magnitude).map { .integer($0) } ?? .unsigned(number.magnitude)
    case (.magnitude, .unsigned): value
    case (.magnitude, .double(let number)): .double(number.magnitude)
    case (.magnitude, .decimal(let number)): .decimal(number.magnitude)
    case (.isNaN, .double(let number)): .bool(number.isNaN)
    case (.isFinite, .double(let number)): .bool(number.isFinite)
    case (.isInfinite, .double(let number)): .bool(number.isInfinite)
    case (.timeIntervalSinceReferenceDate, .date(let date)):
      .double(date.timeIntervalSinceReferenceDate)
    case (.timeIntervalSince1970, .date(let date)): .double(date.timeIntervalSince1970)
    case (.uuidString, .uuid(let identifier)): .string(identifier.uuidString)
    default: nil
    }
  }

  /// Returns the type of the result.
  ///
  /// - Parameter argument: The type of the argument.
  /// - Returns: The type, or `nil` if values of the argument's type are no arguments.
  package func result(of argument: AttributeType) -> AttributeType? {
    switch self {
    case .magnitude:
      switch argument {
      case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: .int64
      case .float, .double, .decimal: argument
      default: nil
      }
    case .isNaN, .isFinite, .isInfinite: argument == .double || argument == .float ? .bool : nil
    case .timeIntervalSinceReferenceDate, .timeIntervalSince1970: argument == .date ? .double : nil
    case .uuidString: argument == .uuid ? .string : nil
    }
  }
}

extension QueryFunction {
  /// The functions of a type by their key paths, empty for types that have none.
  ///
  /// Each type lists its own key paths: those of a protocol are not equal to them.
  package static func all(of type: Any.Type) -> [(keyPath: AnyKeyPath, function: QueryFunction)] {
    switch type {
    case is Int.Type: [(\Int.magnitude, .magnitude)]
    case is Int8.Type: [(\Int8.magnitude, .magnitude)]
    case is Int16.Type: [(\Int16.magnitude, .magnitude)]
    case is Int32.Type: [(\Int32.magnitude, .magnitude)]
    case is Int64.Type: [(\Int64.magnitude, .magnitude)]
    case is Decimal.Type: [(\Decimal.magnitude, .magnitude)]
    case is Double.Type:
      [
        (\Double.magnitude, .magnitude), (\Double.isNaN, .isNaN), (\Double.isFinite, .isFinite),
        (\Double.isInfinite, .isInfinite),
      ]
    case is Float.Type:
      [
        (\Float.magnitude, .magnitude), (\Float.isNaN, .isNaN), (\Float.isFinite, .isFinite),
        (\Float.isInfinite, .isInfinite),
      ]
    case is Date.Type:
      [
        (\Date.timeIntervalSinceReferenceDate, .timeIntervalSinceReferenceDate),
        (\Date.timeIntervalSince1970, .timeIntervalSince1970),
      ]
    case is UUID.Type: [(\UUID.uuidString, .uuidString)]
    default: []
    }
  }
}
