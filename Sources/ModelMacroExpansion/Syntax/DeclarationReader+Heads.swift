extension DeclarationReader {
  /// Reads the attributes here, including those inside `#if` blocks of attributes.
  mutating func attributes() -> [Attribute] {
    var attributes: [Attribute] = []
    while true {
      if cursor.at("@") {
        attributes.append(attribute())
      } else if isAtIf, isConditionalAttribute {
        _ = directiveLine()
      } else if isAtBranchEnd, !attributes.isEmpty {
        _ = directiveLine()
      } else {
        return attributes
      }
    }
  }

  private mutating func attribute() -> Attribute {
    let offset = cursor.offset
    cursor.advance()
    let start = cursor.offset
    cursor.advance()
    cursor.skipQualifiers()
    let name = cursor.text[start..<max(start, cursor.previousEnd)]
    _ = cursor.skipAngleBrackets()
    let hasArguments = cursor.at("(") && cursor.current?.startsLine == false
    return Attribute(
      name: name,
      arguments: hasArguments ? cursor.bracketed() : nil,
      offset: offset
    )
  }

  /// Reads the modifiers here.
  mutating func modifiers() -> [Modifier] {
    var modifiers: [Modifier] = []
    while Keywords.modifiers.contains(cursor.word), isFollowedByDeclaration {
      let modifier = (cursor.word, cursor.offset)
      cursor.advance()
      let detail = cursor.at("(") ? cursor.bracketed() : nil
      modifiers.append(Modifier(name: modifier.0, detail: detail, offset: modifier.1))
    }
    return modifiers
  }

  /// Whether the word here is followed by a declaration.
  ///
  /// `class` is a modifier before another word of a declaration, and introduces a type otherwise.
  private var isFollowedByDeclaration: Bool {
    var ahead = cursor
    ahead.advance()
    if ahead.at("(") { ahead.skipBrackets() }
    if ahead.at("@") { return true }
    return Keywords.modifiers.contains(ahead.word) || Keywords.introducers.contains(ahead.word)
  }

  var isAtIf: Bool { cursor.current?.kind == .directive && cursor.at("#if") }

  /// Whether the token here is `#elseif`, `#else` or `#endif`.
  var isAtBranchEnd: Bool { cursor.current?.kind == .directive && !cursor.at("#if") }

  /// Whether the `#if` here contains only attributes of the declaration after it.
  var isConditionalAttribute: Bool {
    guard isAtIf else { return false }
    var ahead = self
    _ = ahead.directiveLine()
    guard ahead.cursor.at("@") else { return false }
    while ahead.cursor.at("@") { _ = ahead.attribute() }
    return ahead.isAtBranchEnd
  }

  /// Reads a directive with its condition.
  mutating func directiveLine() -> String {
    let start = cursor.offset
    let takesCondition = cursor.at("#if") || cursor.at("#elseif")
    cursor.advance()
    while takesCondition, !cursor.isAtEnd, !startsBranch { cursor.skipOne() }
    return cursor.text[start..<max(start, cursor.previousEnd)]
  }

  /// Whether the token here starts a branch.
  ///
  /// A condition continues over a line break after or before `&&` and `||`.
  private var startsBranch: Bool {
    guard let token = cursor.current, token.startsLine else { return false }
    let joins: Set<String> = ["&", "|"]
    return !joins.contains(cursor.word) && !joins.contains(cursor.string(-1))
  }

  /// Whether the token here is the first of a line and begins another member.
  var startsDeclaration: Bool {
    guard let token = cursor.current, token.startsLine else { return false }
    switch token.kind {
    case .word(quoted: false):
      return Keywords.introducers.contains(cursor.word)
        || (Keywords.modifiers.contains(cursor.word) && isFollowedByDeclaration)
    case .punctuation: return cursor.at("@")
    case .pound: return true
    case .directive: return !continuesExpression
    default: return false
    }
  }

  /// Whether the `#if` here continues the expression before it, because its first line begins with
  /// a dot.
  private var continuesExpression: Bool {
    guard isAtIf else { return false }
    var ahead = self
    _ = ahead.directiveLine()
    return ahead.cursor.at(".")
  }
}
