/// Splits source into tokens.
///
/// Invariant: it is total. Any bytes result in tokens that are in order, do not overlap and are
/// within the source. Anything unknown becomes one token of kind `unknown`.
struct Lexer {
  let text: SourceText
  var position: Int
  private let end: Int
  private(set) var tokens: [Token] = []
  private var startsLine = true
  private var followsSpace = true

  private init(_ text: SourceText) {
    self.text = text
    position = 0
    end = text.bytes.count
  }

  /// Returns the tokens of a source, without comments and white space.
  static func tokens(of text: SourceText) -> [Token] {
    var lexer = Lexer(text)
    lexer.run()
    return lexer.tokens
  }

  private mutating func run() {
    skipHashbang()
    while true {
      skipSpace()
      guard position < end else { return }
      let start = position
      let kind = next()
      // Whatever happened above, each iteration advances.
      position = min(max(position, start + 1), end)
      tokens.append(
        Token(
          kind: kind,
          range: start..<position,
          startsLine: startsLine,
          followsSpace: followsSpace
        )
      )
      startsLine = false
      followsSpace = false
    }
  }

  private mutating func skipHashbang() {
    if text[0] == Byte.hash, text[1] == Byte.exclamation { skipLine() }
  }

  private mutating func skipSpace() {
    while position < end {
      let byte = text[position]
      if byte == Byte.newline || byte == Byte.carriageReturn {
        startsLine = true
        position += 1
      } else if Byte.isSpace(byte) {
        position += 1
      } else if byte == Byte.slash, text[position + 1] == Byte.slash {
        skipLine()
      } else if let end = CommentScanner.blockEnd(of: text, at: position) {
        if text.bytes[position..<end].contains(Byte.newline) { startsLine = true }
        position = end
      } else {
        return
      }
      followsSpace = true
    }
  }

  private mutating func skipLine() {
    while position < end, text[position] != Byte.newline, text[position] != Byte.carriageReturn {
      position += 1
    }
  }

  private mutating func next() -> Token.Kind {
    let byte = text[position]
    if Byte.startsWord(byte) || byte == Byte.dollar { return word() }
    if Byte.isDigit(byte) { return number() }
    if byte == Byte.backtick { return quotedWord() }
    if let end = StringScanner.end(of: text, at: position) {
      position = end
      return .string
    }
    if byte == Byte.hash || byte == Byte.slash, let end = regexEnd() {
      position = end
      return .regex
    }
    if byte == Byte.hash { return pound() }
    position += 1
    if Byte.isPunctuation(byte) { return .punctuation }
    return Byte.isOperator(byte) ? .operator : .unknown
  }

  private mutating func word() -> Token.Kind {
    while Byte.continuesWord(text[position]) || text[position] == Byte.dollar { position += 1 }
    return .word(quoted: false)
  }

  private mutating func quotedWord() -> Token.Kind {
    var index = position + 1
    while index < end, text[index] != Byte.backtick, text[index] != Byte.newline { index += 1 }
    guard text[index] == Byte.backtick else { return .unknown }
    position = index + 1
    return .word(quoted: true)
  }

  private mutating func pound() -> Token.Kind {
    position += 1
    let start = position
    guard Byte.startsWord(text[position]) else { return .unknown }
    while Byte.continuesWord(text[position]) { position += 1 }
    switch text[start..<position] {
    case "if", "elseif", "else", "endif": return .directive
    default: return .pound
    }
  }

  private mutating func number() -> Token.Kind {
    let scanned = NumberScanner.scan(text, at: position)
    position = scanned.end
    return scanned.isFloat ? .float : .integer
  }

  private func regexEnd() -> Int? {
    RegexScanner.end(of: text, at: position, afterOperand: endsOperand(tokens.last))
  }

  /// Whether a slash after this token divides rather than opens a regular expression.
  private func endsOperand(_ token: Token?) -> Bool {
    guard let token else { return false }
    switch token.kind {
    case .word(quoted: false): return !Keywords.beforeOperands.contains(text[token.range])
    case .word, .string, .integer, .float, .regex, .pound: return true
    case .punctuation: return [")", "]", "}"].contains(text[token.range])
    case .operator:
      // `x!/2`: a postfix operator ends an operand.
      return !token.followsSpace && ["!", "?", ">"].contains(text[token.range])
    case .directive, .unknown: return false
    }
  }
}
