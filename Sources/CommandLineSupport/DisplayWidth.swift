extension String {
  /// The columns that a terminal needs to show the text.
  ///
  /// East Asian wide letters and emoji count two, marks that combine count none.
  public var displayWidth: Int {
    utf8.allSatisfy { (0x20..<0x7f).contains($0) } ? utf8.count : reduce(0) { $0 + $1.displayWidth }
  }

  /// The text with everything that would move a terminal's cursor made visible.
  ///
  /// Stored text may hold line breaks and escape sequences; in a table they break the lines, and
  /// on a terminal they can change its state.
  public var visible: String {
    guard unicodeScalars.contains(where: \.movesCursor) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      text += scalar.movesCursor ? scalar.escaped(asASCII: true) : String(scalar)
    }
  }

  /// The text cut to a number of columns, with an ellipsis where something is missing.
  public func truncated(to width: Int) -> String {
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
  /// The columns that a terminal needs to show the letter.
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

  /// Characters that make a terminal show the rest of a line in another order.
  private var isDirectionOverride: Bool {
    (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
  }

  fileprivate var isInvisible: Bool {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: true
    default: false
    }
  }

  /// The ranges of East_Asian_Width W and F (Unicode Standard Annex 11), rounded to blocks; emoji
  /// have a property of their own.
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
