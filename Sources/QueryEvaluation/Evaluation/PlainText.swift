import Foundation

/// Comparisons for strings of ASCII, where bytes are characters.
///
/// Each function returns `nil` if the bytes alone do not decide, and the caller takes the slow
/// path.
package enum PlainText {
  package typealias Bytes = UnsafeRawBufferPointer

  /// Whether upper and lower case in the current locale are those of ASCII, unlike in Turkish.
  package static let isCasePlain =
    "I".localizedStandardContains("i") && "i".localizedStandardContains("I")

  static func contains(_ text: String, _ part: String, ignoringCase: Bool) -> Bool? {
    withBytes(text, part) { contains($0, $1, ignoringCase: ignoringCase) }
  }

  /// Returns whether the UTF-8 text in memory contains another.
  ///
  /// - Complexity: O(*n* + *m*) in the lengths of both.
  package static func contains(_ text: Bytes, _ part: Bytes, ignoringCase: Bool) -> Bool? {
    let isPlain = ignoringCase ? isPrintable : isCharacter
    guard !part.isEmpty, all(part, isPlain), all(text, isPlain) else { return nil }
    return find(part, in: text, ignoringCase)
  }

  static func starts(_ text: String, with part: String) -> Bool? {
    withBytes(text, part) { text, part in
      guard all(part, isCharacter) else { return nil }
      for index in part.indices {
        guard index < text.count else { return false }
        // A non-ASCII letter can be equal to an ASCII letter, such as the Kelvin sign.
        guard text[index] == part[index] else { return isCharacter(text[index]) ? false : nil }
      }
      // The next character could be a mark that combines with the last one.
      return part.count == text.count || isCharacter(text[part.count]) ? true : nil
    }
  }

  static func order(_ lhs: String, _ rhs: String) -> Int? {
    withBytes(lhs, rhs) { lhs, rhs in
      guard all(lhs, isPrintable), all(rhs, isPrintable) else { return nil }
      for index in 0..<min(lhs.count, rhs.count) {
        let (a, b) = (lowercased(lhs[index]), lowercased(rhs[index]))
        if a != b { return a < b ? -1 : 1 }
      }
      return lhs.count == rhs.count ? 0 : lhs.count < rhs.count ? -1 : 1
    }
  }

  private static func withBytes<Result>(
    _ first: String,
    _ second: String,
    _ body: (Bytes, Bytes) -> Result?
  ) -> Result? {
    first.utf8.withContiguousStorageIfAvailable { first in
      second.utf8.withContiguousStorageIfAvailable { second in body(Bytes(first), Bytes(second)) }
    }.flatMap { $0 }.flatMap { $0 }
  }

  /// Whether a byte is a character whatever plain bytes surround it; a carriage return and a line
  /// feed are one character together.
  private static func isCharacter(_ byte: UInt8) -> Bool { byte < 0x80 && byte != 0x0D }

  private static func isPrintable(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7F }

  private static func all(_ bytes: Bytes, _ isPlain: (UInt8) -> Bool) -> Bool {
    var areAll = true
    for byte in bytes { areAll = areAll && isPlain(byte) }
    return areAll
  }

  /// Finds text with the algorithm of Knuth, Morris and Pratt, which never goes back in it.
  private static func find(_ part: Bytes, in text: Bytes, _ ignoringCase: Bool) -> Bool {
    // Lower case, and for each beginning the length of the longest shorter one at its end.
    withUnsafeTemporaryAllocation(of: (letter: UInt8, border: Int).self, capacity: part.count) {
      pattern in
      var matched = 0
      for index in part.indices {
        let byte = ignoringCase ? lowercased(part[index]) : part[index]
        pattern.initializeElement(at: index, to: (byte, 0))
        if index == 0 { continue }
        while matched > 0, pattern[matched].letter != byte { matched = pattern[matched - 1].border }
        if pattern[matched].letter == byte { matched += 1 }
        pattern[index].border = matched
      }
      matched = 0
      for index in 0..<text.count {
        let byte = ignoringCase ? lowercased(text[index]) : text[index]
        while matched > 0, pattern[matched].letter != byte { matched = pattern[matched - 1].border }
        guard pattern[matched].letter == byte else { continue }
        matched += 1
        if matched == part.count { return true }
      }
      return false
    }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
  }
}
