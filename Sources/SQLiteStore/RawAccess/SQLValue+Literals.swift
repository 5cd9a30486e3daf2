import Foundation

extension SQLValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, ExpressibleByBooleanLiteral
{
  /// Creates an integer.
  public init(integerLiteral value: Int64) {
    self = .integer(value)
  }

  /// Creates a floating-point number.
  public init(floatLiteral value: Double) {
    self = .real(value)
  }

  /// Creates a string.
  public init(stringLiteral value: String) {
    self = .text(value)
  }

  /// Creates a Boolean as the store represents it: 0 or 1.
  public init(booleanLiteral value: Bool) {
    self = .integer(value ? 1 : 0)
  }

  /// The integer, or `nil` if the value is none.
  public var integerValue: Int64? {
    if case .integer(let number) = self { number } else { nil }
  }

  /// The floating-point number or integer as a `Double`, or `nil` if the value is neither.
  public var realValue: Double? {
    switch self {
    case .real(let number): number
    case .integer(let number): Double(number)
    case .null, .text, .blob: nil
    }
  }

  /// The string, or `nil` if the value is none.
  public var textValue: String? {
    if case .text(let text) = self { text } else { nil }
  }

  /// The bytes of a blob, or `nil` if the value is none.
  public var blobValue: Data? {
    if case .blob(let bytes) = self { bytes } else { nil }
  }
}
