/// Names in valid Swift source.
enum SwiftName {
  private static let keywords: Set<String> = [
    "Any", "Protocol", "Self", "Type", "as", "associatedtype", "break", "case", "catch", "class",
    "continue", "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough",
    "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout",
    "internal",
    "is", "let", "nil", "operator", "precedencegroup", "private", "protocol", "public", "repeat",
    "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch", "throw",
    "throws", "true", "try", "typealias", "var", "where", "while",
  ]

  /// Returns the name of a member or type, in backticks if Swift needs them.
  ///
  /// Raw identifiers may contain nearly any character. A backtick, line ends, controls and
  /// characters that change the direction of a line are left out, and so is `$` at the start, which
  /// Swift reserves.
  static func member(_ name: String) -> String {
    let kept = name.unicodeScalars.filter { scalar in
      let category = scalar.properties.generalCategory
      return scalar == " "
        || !(scalar == "`" || scalar == "\\" || scalar.properties.isWhitespace
          || category == .control || category == .format)
    }
    let text = String(String.UnicodeScalarView(kept.drop { $0 == "$" }))
    return isPlain(text) && !keywords.contains(text) ? text : "`\(text)`"
  }

  /// Returns whether a name needs no backticks, unless it is a keyword.
  static func isPlain(_ name: String) -> Bool {
    guard let first = name.unicodeScalars.first, first == "_" || first.properties.isXIDStart else {
      return false
    }
    return name.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isXIDContinue }
  }
}
