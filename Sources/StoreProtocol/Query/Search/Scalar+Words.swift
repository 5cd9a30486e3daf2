/// What the scalars of a text are to a search.
extension Unicode.Scalar {
  /// Whether a search takes no notice of the scalar: the accents of alphabets, the vowel points of
  /// Hebrew and Arabic, and what has no appearance of its own.
  ///
  /// Marks that make another letter or syllable stay, as those of Indian scripts and Japanese do.
  var isFoldedAway: Bool {
    if isASCII { return false }
    switch properties.canonicalCombiningClass.rawValue {
    case 1, 10...36, 200...: return true
    default:
      return properties.isDefaultIgnorableCodePoint || properties.generalCategory == .enclosingMark
    }
  }

  /// Whether the scalar belongs to a word.
  var isPartOfWord: Bool {
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
      true
    default: false
    }
  }

  /// Whether the scalar belongs to a script that writes no spaces between words.
  var isWordOfItsOwn: Bool {
    switch value {
    case 0..<0x0E00: false
    // Thai and Lao, Burmese, Khmer, Japanese syllables in their usual and half widths.
    case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3041...0x30FF, 0x31F0...0x31FF,
      0xFF66...0xFF9F:
      isPartOfWord
    default: properties.isIdeographic
    }
  }
}
