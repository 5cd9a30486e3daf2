import Foundation

/// Folds case and diacritics away.
enum WordFolding {
  /// The text without what a search takes no notice of, in composed form.
  static func folded(_ text: String) -> String {
    var folded = ""
    for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars
    where !scalar.isFoldedAway {
      if !scalar.properties.changesWhenCaseMapped {
        folded.unicodeScalars.append(scalar)
      } else {
        // Sharp s has two capital forms, of which only one leads to the other.
        folded += scalar.properties.lowercaseMapping.uppercased().lowercased()
      }
    }
    // Composed again, so that a syllable is one character and no prefix of another.
    return folded.precomposedStringWithCanonicalMapping
  }
}

/// What becomes of scalars, where those around them have no part in it.
///
/// Letters of the European alphabets and the marks that are folded away with them, the usual signs
/// and ideographs: no two of what they become compose to another.
enum SimpleScalars {
  /// What became of a scalar.
  enum Folded {
    /// A part of a word.
    case word(Unicode.Scalar)
    /// Two parts of a word.
    case twoLetters(Unicode.Scalar, Unicode.Scalar)
    /// A word of its own.
    case ownWord(Unicode.Scalar)
    /// What stands between words.
    case separator
    /// Nothing.
    case nothing
    /// What only the whole text can tell.
    case unknown
  }

  // Latin, Greek and Cyrillic with their marks, and the general punctuation.
  private static let alphabets: [Folded] = (0..<0x530).map(fold)
  private static let signs: [Folded] = (0x2000..<0x2070).map(fold)

  static func folded(_ value: UInt32) -> Folded {
    switch value {
    case 0..<0x530: alphabets[Int(value)]
    case 0x2000..<0x2070: signs[Int(value - 0x2000)]
    case 0x4E00..<0x9FA6: Unicode.Scalar(value).map(Folded.ownWord) ?? .unknown
    default: .unknown
    }
  }

  private static func fold(_ value: Int) -> Folded {
    guard let scalar = Unicode.Scalar(value) else { return .unknown }
    if scalar.isFoldedAway { return .nothing }
    let folded = Array(WordFolding.folded(String(scalar)).unicodeScalars)
    guard !folded.contains(where: \.isWordOfItsOwn), let first = folded.first else {
      return .unknown
    }
    switch folded.count(where: \.isPartOfWord) {
    case 0: return .separator
    case 1 where folded.count == 1: return .word(first)
    case 2 where folded.count == 2: return .twoLetters(first, folded[1])
    default: return .unknown
    }
  }
}
