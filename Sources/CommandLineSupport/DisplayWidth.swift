extension String {
  /// The number of columns that a terminal needs to show the string.
  ///
  /// East Asian wide letters and emoji count two, combining marks none.
  package var displayWidth: Int {
    utf8.allSatisfy { (0x20..<0x7f).contains($0) } ? utf8.count : reduce(0) { $0 + $1.displayWidth }
  }

  /// The string with all characters escaped that would move a terminal's cursor.
  ///
  /// Stored strings may contain line breaks and escape sequences. In a table they break the lines,
  /// and on a terminal they can change its state.
  package var visible: String {
    guard unicodeScalars.contains(where: \.movesCursor) else { return self }
    return replacingScalars { $0.movesCursor ? $0.escaped(asASCII: true) : nil }
  }

  /// The string with all such characters escaped except line breaks.
  package var visibleLines: String {
    guard unicodeScalars.contains(where: { $0.movesCursor && $0 != "\n" }) else { return self }
    return replacingScalars { $0.movesCursor && $0 != "\n" ? $0.escaped(asASCII: true) : nil }
  }

  /// JSON with all characters escaped that would move a terminal's cursor; its meaning is the same.
  ///
  /// JSON escapes characters below U+0020 anyway. The others occur only within strings.
  package var visibleJSON: String {
    guard unicodeScalars.contains(where: { $0.movesCursor && $0.value >= 0x20 }) else {
      return self
    }
    return replacingScalars { scalar in
      guard scalar.movesCursor, scalar.value >= 0x20 else { return nil }
      let digits = String(scalar.value, radix: 16)
      return "\\u" + String(repeating: "0", count: max(4 - digits.count, 0)) + digits
    }
  }

  /// Returns the beginning of the string for a number of columns, escaped, with an ellipsis if it
  /// is cut.
  ///
  /// - Complexity: O(*n*), where *n* is the number of columns, however long the string is.
  package func shown(to width: Int) -> String {
    // A character may have any number of marks; beyond a few the string is cut.
    let most = max(width, 0) * 8
    guard utf8.count > most else { return visible.truncated(to: width) }
    let start = unicodeScalars.prefix(most)
    let beginning = String(start).visible
    if start.endIndex == endIndex || beginning.displayWidth > width {
      return beginning.truncated(to: width)
    }
    return beginning.truncated(to: width - 1) + "…"
  }

  /// Returns the string cut to a number of columns, with an ellipsis if it is cut.
  package func truncated(to width: Int) -> String {
    guard displayWidth > width else { return self }
    guard width > 0 else { return "" }
    var kept = ""
    var columns = 0
    for character in self {
      columns += character.displayWidth
      if columns > width - 1 { break }
      kept.append(character)
    }
    return kept + "…"
  }
}

extension Character {
  /// The number of columns that a terminal needs to show the character.
  fileprivate var displayWidth: Int {
    guard let first = unicodeScalars.first else { return 0 }
    if first.isWide || unicodeScalars.contains("\u{FE0F}") { return 2 }
    return first.isInvisible ? 0 : 1
  }
}

extension Unicode.Scalar {
  fileprivate var movesCursor: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: isDirectionOverride
    }
  }

  /// Whether the character makes a terminal show the rest of a line in another order.
  private var isDirectionOverride: Bool {
    (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
  }

  fileprivate var isInvisible: Bool {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: true
    default: false
    }
  }

  /// Whether the character is in the ranges of East_Asian_Width W and F (Unicode Standard Annex
  /// 11), rounded to blocks.
  ///
  /// Emoji have a property of their own.
  fileprivate var isWide: Bool {
    if value < 0x1100 { return false }
    return properties.isEmojiPresentation || Self.wideRanges.contains { $0.contains(value) }
  }

  private static let wideRanges: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF,
    0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6B,
    0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265,
    0x20000...0x3FFFD,
  ]
}
