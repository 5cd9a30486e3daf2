import PostgreSQLClient
import StoreProtocol

/// The regular expression for strings in composed form that start with a string or contain it,
/// character by character.
///
/// A character is a base with all its marks. A match of scalars is one of characters if it begins
/// and ends between two characters. For parts whose first and last scalars are ordinary, this
/// depends only on the scalar before the match and the one after it.
struct TextPattern {
  /// Whether strings must start with the part.
  let isPrefix: Bool
  /// The part in the form in which strings are stored.
  let stored: String
  let expression: String

  /// The maximum number of bytes of a part.
  private static let maximum = 400

  /// Creates the pattern of a part in composed form, or returns `nil` if matches of the part depend
  /// on more of the string.
  init?(_ test: QueryExpression.TextTest, _ part: String) {
    guard test == .startsWith || test == .contains, part.utf8.count <= Self.maximum,
      let first = part.unicodeScalars.first, let last = part.unicodeScalars.last,
      Self.isOrdinary(first), Self.isOrdinary(last)
    else { return nil }
    isPrefix = test == .startsWith
    stored = TextEscape.escaped(part)
    let escaped = stored.unicodeScalars.map { scalar in
      scalar.isASCII && !scalar.properties.isAlphabetic && !("0"..."9").contains(scalar)
        ? "\\\(scalar)" : "\(scalar)"
    }
    let start = isPrefix ? "^" : "(?<![\(Self.joining.next)])"
    expression = "\(start)\(escaped.joined())(?![\(Self.joining.previous)])"
  }

  /// The scripts whose letters join only the marks after them.
  ///
  /// Others have syllables of several letters, as Korean and Hindi have, or are pictures.
  private static let ordinary: [ClosedRange<UInt32>] = [
    0x20...0x7E, 0xA1...0xA8, 0xAA...0xAC, 0xAF...0x2FF, 0x370...0x482, 0x48A...0x52F,
    0x5D0...0x5EA, 0x621...0x63A, 0x641...0x64A, 0x3041...0x3096, 0x30A1...0x30FA,
    0x4E00...0x9FFF,
  ]

  static func isOrdinary(_ scalar: Unicode.Scalar) -> Bool {
    ordinary.contains { $0.contains(scalar.value) }
  }

  /// The scalars that form one character with an ordinary one before or after them, as ranges of a
  /// regular expression.
  ///
  /// They depend on the Unicode version of Swift's library, so Swift itself computes them.
  private static let joining: (previous: String, next: String) = {
    var (previous, next) = (RangeSet<UInt32>(), RangeSet<UInt32>())
    for plane in [0x300...0x1_FFFF, 0xE_0000...0xE_0FFF] as [ClosedRange<UInt32>] {
      for value in plane {
        guard let scalar = Unicode.Scalar(value), "a\(scalar)a".count < 3 else { continue }
        if "a\(scalar)".count == 1 { previous.insert(contentsOf: value..<value + 1) }
        if "\(scalar)a".count == 1 { next.insert(contentsOf: value..<value + 1) }
      }
    }
    return (previous.text, next.text)
  }()
}

extension RangeSet<UInt32> {
  /// The ranges in the brackets of a regular expression.
  fileprivate var text: String {
    ranges.map { "\\U\($0.lowerBound.hexadecimal)-\\U\(($0.upperBound - 1).hexadecimal)" }.joined()
  }
}
