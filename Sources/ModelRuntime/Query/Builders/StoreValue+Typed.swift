import Foundation
import StoreProtocol

extension StoreValue {
  /// Creates the value that a person typed as a string, or returns `nil` if it is invalid for the
  /// type.
  ///
  /// Numbers use digits and a decimal point, regardless of the locale. Dates are in ISO 8601, at
  /// midnight UTC if no time is given. Booleans are true, yes or 1 and their opposites. Bytes are
  /// in Base64.
  init?(typed text: String, as type: AttributeType) {
    let value: StoreValue? =
      switch type {
      case .bool: Self.boolean(text)
      case .int8: Int8(text)?.storeValue
      case .int16: Int16(text)?.storeValue
      case .int32: Int32(text)?.storeValue
      case .int64: Int64(text)?.storeValue
      case .uint8: UInt8(text)?.storeValue
      case .uint16: UInt16(text)?.storeValue
      case .uint32: UInt32(text)?.storeValue
      case .uint64: UInt64(text)?.storeValue
      case .float: Self.isNumber(text) ? Float(text)?.storeValue : nil
      case .double: Self.isNumber(text) ? Double(text)?.storeValue : nil
      case .decimal:
        Self.isNumber(text)
          ? Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))?.storeValue : nil
      case .string: .string(text)
      case .url: URL(string: text)?.storeValue
      case .date: TypedDate(text)?.date.storeValue
      case .uuid: UUID(uuidString: text)?.storeValue
      case .data: Data(base64Encoded: text)?.storeValue
      case .codable: nil
      }
    guard let value else { return nil }
    self = value
  }

  private static func boolean(_ text: String) -> StoreValue? {
    switch text.lowercased() {
    case "true", "yes", "1": .bool(true)
    case "false", "no", "0": .bool(false)
    default: nil
    }
  }

  /// Whether a string is a number as people write it; Swift accepts others, such as `0x1p3` and
  /// `nan`.
  private static func isNumber(_ text: String) -> Bool {
    Double(text) != nil
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
          UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
          true
        default: false
        }
      }
  }
}
