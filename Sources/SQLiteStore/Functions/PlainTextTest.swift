import CSQLite
import Foundation
import SQLTranslation
import StoreProtocol

/// The search for plain ASCII in a string, directly in SQLite's memory.
///
/// If both are plain, bytes are characters, and no string has to be created.
struct PlainTextTest {
  private let part: [UInt8]
  private let ignoresCase: Bool

  /// Whether letter case follows ASCII in the current locale, unlike in Turkish.
  private static let isCasePlain =
    "I".localizedStandardContains("i") && "i".localizedStandardContains("I")

  /// Creates the test of an expression over leaves, or `nil` if it does not search a string for
  /// plain text.
  init?(_ expression: QueryExpression, _ leaves: [LeafContent]) {
    guard
      case .text(let test, .property(.element(0), "0"), .constant(.string(let part))) = expression,
      case .value(.string)? = leaves.first, Self.isPlain(part.utf8), !part.isEmpty
    else { return nil }
    switch test {
    case .contains: ignoresCase = false
    case .localizedStandardContains where Self.isCasePlain: ignoresCase = true
    default: return nil
    }
    let bytes = Array(part.utf8)
    self.part = ignoresCase ? bytes.map(Self.lowercased) : bytes
  }

  /// Returns whether the first value contains the part, or `nil` if bytes cannot decide that.
  func holds(_ arguments: FunctionArguments) -> Bool? {
    guard arguments.storage(at: 1) == .text else { return nil }
    return arguments.withBytes(at: 1) { bytes in
      guard Self.isPlain(bytes) else { return nil }
      guard part.count <= bytes.count else { return false }
      return part.withUnsafeBufferPointer { find($0, in: bytes) }
    }
  }

  private func find(_ part: UnsafeBufferPointer<UInt8>, in text: UnsafeRawBufferPointer) -> Bool {
    for start in 0...(text.count - part.count) {
      var index = 0
      while index < part.count {
        let byte = ignoresCase ? Self.lowercased(text[start + index]) : text[start + index]
        if byte != part[index] { break }
        index += 1
      }
      if index == part.count { return true }
    }
    return false
  }

  private static func isPlain(_ bytes: some Sequence<UInt8>) -> Bool {
    bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
  }
}
