/// The role of scalars in a search.
extension Unicode.Scalar {
  /// Whether a search ignores the scalar: accents of alphabets, vowel points of Hebrew and Arabic,
  /// and invisible scalars.
  ///
  /// Marks that form another letter or syllable are kept, such as those of Indic scripts and
  /// Japanese.
  var isFoldedAway: Bool {
    if isASCII { return false }
    switch properties.canonicalCombiningClass.rawValue {
    case 1, 10...36, 200...: return true
    default:
      return properties.isDefaultIgnorableCodePoint || properties.generalCategory == .enclosingMark
    }
  }

  var isPartOfWord: Bool {
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
      true
    default: false
    }
  }

  /// Whether the scalar belongs to a script without spaces between words.
  var isWordOfItsOwn: Bool {
    switch value {
    case 0..<0x0E00: false
    // Thai and Lao, Burmese, Khmer, Japanese syllables in full and half width.
    case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3041...0x30FF, 0x31F0...0x31FF,
      0xFF66...0xFF9F:
      isPartOfWord
    default: properties.isIdeographic
    }
  }
}
