/// Finds the end of a regular expression literal.
enum RegexScanner {
  /// Returns the offset after the literal at an offset, or `nil` if none starts there.
  static func end(of text: SourceText, at start: Int, afterOperand: Bool) -> Int? {
    var position = start
    while text[position] == Byte.hash { position += 1 }
    let hashes = position - start
    guard text[position] == Byte.slash, hashes > 0 || !afterOperand else { return nil }
    position += 1
    return hashes == 0 ? plainEnd(text, position) : extendedEnd(text, position, hashes)
  }

  /// Returns the end of `/…/`: on one line, neither starting nor ending in a space, with balanced
  /// parentheses.
  private static func plainEnd(_ text: SourceText, _ start: Int) -> Int? {
    guard !Byte.isSpace(text[start]) else { return nil }
    var position = start
    var depth = 0
    var isInSet = false
    while position < text.bytes.count, text[position] != Byte.newline {
      switch text[position] {
      case Byte.backslash: position += 1
      case Byte.slash: return Byte.isSpace(text[position - 1]) ? nil : position + 1
      case Byte.openBracket: isInSet = true
      case Byte.closeBracket: isInSet = false
      case Byte.openParenthesis where !isInSet: depth += 1
      case Byte.closeParenthesis where !isInSet:
        depth -= 1
        if depth < 0 { return nil }
      default: break
      }
      position += 1
    }
    return nil
  }

  private static func extendedEnd(_ text: SourceText, _ start: Int, _ hashes: Int) -> Int? {
    var position = start
    while position < text.bytes.count {
      if text[position] == Byte.backslash {
        position += 2
        continue
      }
      if text[position] == Byte.slash,
        (1...hashes).allSatisfy({ text[position + $0] == Byte.hash })
      {
        return position + 1 + hashes
      }
      position += 1
    }
    return nil
  }
}
