extension DeclarationReader {
  mutating func property(
    attributes: [Attribute],
    modifiers: [Modifier],
    offset: Int
  ) -> PropertyDeclaration {
    let isLet = cursor.at("let")
    let keywordOffset = cursor.offset
    cursor.advance()
    var bindings: [Binding] = []
    repeat { bindings.append(binding()) } while cursor.take(",")
    return PropertyDeclaration(
      attributes: attributes,
      modifiers: modifiers,
      isLet: isLet,
      offset: offset,
      keywordOffset: keywordOffset,
      bindings: bindings
    )
  }

  private mutating func binding() -> Binding {
    var binding = Binding(offset: cursor.offset)
    if cursor.isAtWord, cursor.word != "_" {
      binding.name = cursor.word
      cursor.advance()
    } else if !cursor.at("}") {
      cursor.skipOne()
    }
    if cursor.take(":") { binding.type = type() }
    if isAtAssignment {
      cursor.advance()
      binding.initialValue = initialValue()
    }
    if cursor.at("{") { binding.accessors = accessors() }
    binding.end = max(binding.offset, cursor.previousEnd)
    binding.text = cursor.text[binding.offset..<binding.end]
    return binding
  }

  private var isAtAssignment: Bool { cursor.at("=") && cursor.current?.kind == .operator }

  private mutating func type() -> String {
    let start = cursor.offset
    while !cursor.isAtEnd, !endsBinding, !isAtAssignment, !cursor.at("{") {
      if !cursor.skipAngleBrackets() { cursor.skipOne() }
    }
    return cursor.text[start..<max(start, cursor.previousEnd)]
  }

  /// Whether the token here cannot belong to the binding before it.
  private var endsBinding: Bool {
    [",", ";", "}", ")", "]"].contains(cursor.word) || (startsDeclaration && !isContinued)
  }

  /// Whether the token before this one requires more, on whatever line that is.
  private var isContinued: Bool {
    guard let last = cursor.peek(-1) else { return false }
    let word = cursor.string(-1)
    switch last.kind {
    case .operator: return last.followsSpace || word == "=" || cursor.string(-2) == "-"
    case .punctuation: return [":", ","].contains(word)
    case .word(quoted: false): return Keywords.beforeOperands.contains(word)
    default: return false
    }
  }

  private mutating func initialValue() -> InitialValue {
    let first = cursor.index
    let start = cursor.offset
    let isBranching = cursor.at("if") || cursor.at("switch")
    if isBranching {
      skipBranches()
    } else {
      skipExpression()
    }
    let text = cursor.text[start..<max(start, cursor.previousEnd)]
    return InitialValue(text: text, isBranching: isBranching, literal: literal(from: first))
  }

  /// Skips `if … { } else { }` or `switch … { }`.
  private mutating func skipBranches() {
    repeat {
      while !cursor.isAtEnd, !cursor.at("{"), !cursor.at("}") { cursor.skipOne() }
      cursor.skipBrackets()
    } while cursor.take("else")
  }

  private mutating func skipExpression() {
    while !cursor.isAtEnd, !endsBinding {
      if cursor.at("{"), isAtAccessors { return }
      if isAtPostfixCondition {
        skipPostfixCondition()
      } else if cursor.at("<"), cursor.current?.followsSpace == false {
        if !skipGenericArguments() { cursor.advance() }
      } else {
        cursor.skipOne()
      }
    }
  }

  /// Skips the generic arguments in `a<b, c>(d)`.
  ///
  /// As in the compiler, the angle brackets are generic arguments if they contain a type list and
  /// the next token cannot be an operand.
  private mutating func skipGenericArguments() -> Bool {
    var ahead = cursor
    guard ahead.skipAngleBrackets() else { return false }
    let follows = ["(", ")", "[", "]", "{", "}", ".", ",", ";", ":", "?", "!", ""]
    guard follows.contains(ahead.word) || ahead.current?.startsLine == true else { return false }
    cursor = ahead
    return true
  }

  private var isAtPostfixCondition: Bool { isAtIf && !startsDeclaration }

  private mutating func skipPostfixCondition() {
    var depth = 0
    repeat {
      if isAtIf { depth += 1 }
      if cursor.at("#endif") { depth -= 1 }
      cursor.advance()
    } while depth > 0 && !cursor.isAtEnd
  }

  /// Returns the kind of literal of the tokens since an index, if they are nothing but a literal.
  private func literal(from first: Int) -> InitialValue.Literal? {
    let tokens = cursor.tokens[first..<max(first, cursor.index)]
    let signs = tokens.prefix { $0.kind == .operator && cursor.text[$0.range] == "-" }
    guard let last = tokens.last, tokens.count == signs.count + 1, signs.count < 2 else {
      return nil
    }
    switch last.kind {
    case .integer: return .integer
    case .float: return .float
    case .string where signs.isEmpty: return .string
    case .word(quoted: false) where signs.isEmpty:
      return ["true", "false"].contains(cursor.text[last.range]) ? .boolean : nil
    default: return nil
    }
  }
}
