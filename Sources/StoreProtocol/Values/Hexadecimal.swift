import Foundation

extension FixedWidthInteger where Self: UnsignedInteger {
  /// The lowercase hexadecimal digits of all bits, at most 64, including leading zeros.
  package var hexadecimal: String {
    // Of a known type, so that the loop is no generic code.
    var rest = UInt64(truncatingIfNeeded: self)
    let count = Self.bitWidth / 4
    return String(unsafeUninitializedCapacity: count) { text in
      for index in (0..<count).reversed() {
        let digit = UInt8(truncatingIfNeeded: rest & 15)
        text[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
        rest >>= 4
      }
      return count
    }
  }
}

/// The text of an identifier, which Foundation takes ten times as long to write and to read.
extension UUID {
  /// The 36 characters of `uuidString`.
  package var text: String {
    String(unsafeUninitializedCapacity: 36) { text in
      withUnsafeBytes(of: uuid) { bytes in
        var end = 0
        for (index, byte) in bytes.enumerated() {
          if Self.isBehindHyphen(index) {
            text[end] = UInt8(ascii: "-")
            end += 1
          }
          text[end] = Self.character(byte >> 4)
          text[end + 1] = Self.character(byte & 15)
          end += 2
        }
        return end
      }
    }
  }

  /// Creates the identifier of a text, or returns `nil` for one that `init(uuidString:)` refuses.
  package init?(text: String) {
    var copy = text
    if let value = copy.withUTF8(Self.value(of:)) {
      self.init(uuid: value)
    } else {
      self.init(uuidString: text)
    }
  }

  private static func value(of text: UnsafeBufferPointer<UInt8>) -> uuid_t? {
    guard text.count == 36 else { return nil }
    var value: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    let isWhole = withUnsafeMutableBytes(of: &value) { bytes in
      var position = 0
      for index in bytes.indices {
        if isBehindHyphen(index) {
          guard text[position] == UInt8(ascii: "-") else { return false }
          position += 1
        }
        guard let high = digit(text[position]), let low = digit(text[position + 1]) else {
          return false
        }
        bytes[index] = high << 4 | low
        position += 2
      }
      return true
    }
    return isWhole ? value : nil
  }

  /// Whether a hyphen precedes a byte.
  private static func isBehindHyphen(_ index: Int) -> Bool {
    (4...10).contains(index) && index.isMultiple(of: 2)
  }

  private static func character(_ digit: UInt8) -> UInt8 {
    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10
  }

  private static func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
