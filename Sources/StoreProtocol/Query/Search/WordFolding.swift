import Foundation

/// Folds case and diacritics.
enum WordFolding {
  /// Returns the string without ignored scalars, in composed form.
  static func folded(_ text: String) -> String {
    var folded = ""
    for scalar in text.searchable.decomposedStringWithCanonicalMapping.unicodeScalars
    where !scalar.isFoldedAway {
      if !scalar.properties.changesWhenCaseMapped {
        folded.unicodeScalars.append(scalar)
      } else {
        // Sharp s has two uppercase forms, of which only one maps to the other.
        folded += scalar.properties.lowercaseMapping.uppercased().lowercased()
      }
    }
    // Composed again, so that a syllable is one character and not a prefix of another.
    return folded.precomposedStringWithCanonicalMapping
  }
}

/// A table of scalars whose folded form does not depend on their context.
///
/// It contains letters of the European alphabets with their marks, common symbols, and ideographs.
/// No two of their folded forms compose.
enum SimpleScalars {
  /// The folded form of a scalar.
  enum Folded {
    /// A part of a word.
    case word(Unicode.Scalar)
    /// Two parts of a word.
    case twoLetters(Unicode.Scalar, Unicode.Scalar)
    /// A separate word.
    case ownWord(Unicode.Scalar)
    /// A separator between words.
    case separator
    case nothing
    /// Unknown: only the whole string determines it.
    case unknown
  }

  // Latin, Greek and Cyrillic with their marks, and general punctuation.
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
