import SQLTranslation

/// Lists of values as JSON that SQLite reads back exactly.
enum JSONList {
  /// Returns the list, or `nil` if a value may not survive: reals, bytes, strings with U+0000.
  static func encoded(_ values: [BoundValue]) -> String? {
    var text: [UInt8] = [UInt8(ascii: "[")]
    for value in values {
      if text.count > 1 { text.append(UInt8(ascii: ",")) }
      switch value {
      case .integer(let number): text += "\(number)".utf8
      case .text(let string):
        guard append(string, to: &text) else { return nil }
      default: return nil
      }
    }
    text.append(UInt8(ascii: "]"))
    return String(decoding: text, as: UTF8.self)
  }

  private static func append(_ string: String, to text: inout [UInt8]) -> Bool {
    text.append(UInt8(ascii: "\""))
    for byte in string.utf8 {
      switch byte {
      case 0: return false
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        text.append(UInt8(ascii: "\\"))
        text.append(byte)
      case 1..<0x20:
        text += (byte < 0x10 ? "\\u000" : "\\u00").utf8
        text += String(byte, radix: 16).utf8
      default: text.append(byte)
      }
    }
    text.append(UInt8(ascii: "\""))
    return true
  }
}
