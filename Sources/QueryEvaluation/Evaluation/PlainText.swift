import Foundation
import StoreProtocol

/// Comparisons for strings of printable ASCII, where bytes are characters.
///
/// Each function returns `nil` if the bytes alone do not decide, and the caller takes the slow
/// path.
enum PlainText {
  /// Whether upper and lower case in the current locale are those of ASCII, unlike in Turkish.
  static let isCasePlain =
    "I".localizedStandardContains("i") && "i".localizedStandardContains("I")

  static func contains(_ text: String, _ part: String, ignoringCase: Bool) -> Bool? {
    withBytes(text, part) { text, part in
      guard !part.isEmpty, isPlain(part), isPlain(text) else { return nil }
      guard part.count <= text.count else { return false }
      let first = ignoringCase ? lowercased(part[0]) : part[0]
      for start in 0...(text.count - part.count) {
        let byte = ignoringCase ? lowercased(text[start]) : text[start]
        if byte == first, matches(text, start, part, ignoringCase) { return true }
      }
      return false
    }
  }

  static func starts(_ text: String, with part: String) -> Bool? {
    withBytes(text, part) { text, part in
      guard isPlain(part) else { return nil }
      for index in part.indices {
        guard index < text.count else { return false }
        // A non-ASCII letter can be equal to an ASCII letter, such as the Kelvin sign.
        guard text[index] == part[index] else { return isPlain(text[index]) ? false : nil }
      }
      // The next character could be a mark that combines with the last one.
      return part.count == text.count || isPlain(text[part.count]) ? true : nil
    }
  }

  static func order(_ lhs: String, _ rhs: String) -> Int? {
    withBytes(lhs, rhs) { lhs, rhs in
      guard isPlain(lhs), isPlain(rhs) else { return nil }
      for index in 0..<min(lhs.count, rhs.count) {
        let (a, b) = (lowercased(lhs[index]), lowercased(rhs[index]))
        if a != b { return a < b ? -1 : 1 }
      }
      return lhs.count == rhs.count ? 0 : lhs.count < rhs.count ? -1 : 1
    }
  }

  private typealias Bytes = UnsafeBufferPointer<UInt8>

  private static func withBytes<Result>(
    _ first: String,
    _ second: String,
    _ body: (Bytes, Bytes) -> Result?
  ) -> Result? {
    first.utf8.withContiguousStorageIfAvailable { first in
      second.utf8.withContiguousStorageIfAvailable { second in body(first, second) }
    }.flatMap { $0 }.flatMap { $0 }
  }

  private static func isPlain(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7F }

  private static func isPlain(_ bytes: Bytes) -> Bool {
    var isPlain = true
    for byte in bytes { isPlain = isPlain && Self.isPlain(byte) }
    return isPlain
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
  }

  private static func matches(
    _ text: Bytes,
    _ start: Int,
    _ part: Bytes,
    _ ignoringCase: Bool
  ) -> Bool {
    for index in part.indices {
      let (a, b) = (text[start + index], part[index])
      guard a == b || (ignoringCase && lowercased(a) == lowercased(b)) else { return false }
    }
    return true
  }
}
