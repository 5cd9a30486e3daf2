import Foundation

extension SQLValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, ExpressibleByBooleanLiteral
{
  /// A whole number.
  public init(integerLiteral value: Int64) {
    self = .integer(value)
  }

  /// A floating-point number.
  public init(floatLiteral value: Double) {
    self = .real(value)
  }

  /// A text.
  public init(stringLiteral value: String) {
    self = .text(value)
  }

  /// A truth value as the store keeps it: 0 or 1.
  public init(booleanLiteral value: Bool) {
    self = .integer(value ? 1 : 0)
  }

  /// The whole number, nil where the value is none.
  public var integerValue: Int64? {
    if case .integer(let number) = self { number } else { nil }
  }

  /// The number, whole ones as well; nil where the value is none.
  public var realValue: Double? {
    switch self {
    case .real(let number): number
    case .integer(let number): Double(number)
    case .null, .text, .blob: nil
    }
  }

  /// The text, nil where the value is none.
  public var textValue: String? {
    if case .text(let text) = self { text } else { nil }
  }

  /// The bytes of a blob, nil where the value is none.
  public var blobValue: Data? {
    if case .blob(let bytes) = self { bytes } else { nil }
  }
}
