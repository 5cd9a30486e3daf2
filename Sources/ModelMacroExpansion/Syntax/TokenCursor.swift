/// A position in a list of tokens.
///
/// Reading beyond the end returns nothing, and advancing beyond it has no effect.
package struct TokenCursor {
  let text: SourceText
  let tokens: [Token]
  /// The strings of the tokens, which are read many times.
  private let words: [String]
  package var index = 0

  package init(_ text: SourceText) {
    self.text = text
    tokens = Lexer.tokens(of: text)
    words = tokens.map { text[$0.range] }
  }

  package var current: Token? { peek(0) }
  package var isAtEnd: Bool { index >= tokens.count }
  /// The string of the current token, or an empty string at the end.
  package var word: String { string(0) }
  /// The offset of the current token, or of the end of the source.
  package var offset: Int { current?.range.lowerBound ?? text.bytes.count }
  /// The offset after the previous token.
  package var previousEnd: Int { peek(-1)?.range.upperBound ?? 0 }

  func peek(_ distance: Int) -> Token? {
    let position = index + distance
    return tokens.indices.contains(position) ? tokens[position] : nil
  }

  package func string(_ distance: Int) -> String {
    let position = index + distance
    return words.indices.contains(position) ? words[position] : ""
  }

  /// Whether the current token is a given word without backticks, or a given sign.
  package func at(_ expected: String) -> Bool { word == expected }

  /// Whether the current token is a name or a keyword.
  package var isAtWord: Bool {
    if case .word = current?.kind { true } else { false }
  }

  package mutating func advance() {
    if index < tokens.count { index += 1 }
  }

  /// Skips the current token if it is a given one.
  package mutating func take(_ expected: String) -> Bool {
    guard at(expected) else { return false }
    advance()
    return true
  }

  /// Skips a bracket and everything up to its counterpart; does nothing if no bracket opens here.
  package mutating func skipBrackets() {
    guard Self.closing[word] != nil else { return }
    var open: [String] = []
    while !isAtEnd {
      let sign = word
      advance()
      if let closing = Self.closing[sign] {
        open.append(closing)
      } else if Self.closers.contains(sign) {
        // A bracket that closes something else is left over from invalid source.
        while let expected = open.popLast(), expected != sign {}
        if open.isEmpty { return }
      }
    }
  }

  /// Skips one token, or a whole pair of brackets.
  mutating func skipOne() {
    if Self.closing[word] != nil { skipBrackets() } else { advance() }
  }

  /// Skips the names after dots here.
  mutating func skipQualifiers() {
    while at("."), case .word = peek(1)?.kind { index += 2 }
  }

  /// Returns the source inside the brackets that open here, and skips them.
  mutating func bracketed() -> String {
    let start = offset + 1
    skipBrackets()
    return text[start..<max(start, previousEnd - 1)]
  }

  private static let closing = ["(": ")", "[": "]", "{": "}"]
  private static let closers: Set<String> = [")", "]", "}"]
}

extension TokenCursor {
  /// Skips `<…>` if it can only be generic arguments or parameters.
  ///
  /// - Returns: Whether it did; the position is unchanged otherwise.
  mutating func skipAngleBrackets() -> Bool {
    guard at("<") else { return false }
    let start = index
    var depth = 0
    while !isAtEnd, isPartOfType {
      if at("<") { depth += 1 }
      if at(">"), string(-1) != "-" || current?.followsSpace == true { depth -= 1 }
      skipOne()
      if depth == 0 { return true }
    }
    index = start
    return false
  }

  /// Whether the current token may be between angle brackets.
  private var isPartOfType: Bool {
    switch current?.kind {
    case .word, .integer: true
    case .punctuation: !["{", "}", ")", "]", ";"].contains(word)
    case .operator: ["<", ">", "?", "!", "&", "-", "~", "="].contains(word)
    default: false
    }
  }
}
