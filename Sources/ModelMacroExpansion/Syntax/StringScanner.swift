/// Finds the end of a string literal, whatever its delimiters and interpolations.
enum StringScanner {
  /// The largest depth of strings within interpolations.
  private static let depthLimit = 64

  /// Returns the offset after the literal at an offset, or `nil` if no literal starts there.
  static func end(of text: SourceText, at start: Int) -> Int? {
    end(of: text, at: start, depth: 0)
  }

  private static func end(of text: SourceText, at start: Int, depth: Int) -> Int? {
    var position = start
    while text[position] == Byte.hash { position += 1 }
    let hashes = position - start
    guard text[position] == Byte.quote, depth < depthLimit else { return nil }
    let isMultiline = quotes(text, position) >= 3 && opensLines(text, position + 3, hashes)
    position += isMultiline ? 3 : 1
    while position < text.bytes.count {
      let byte = text[position]
      if byte == Byte.backslash, hasHashes(text, position + 1, hashes) {
        position += 1 + hashes
        guard text[position] == Byte.openParenthesis else {
          position += 1
          continue
        }
        position = interpolationEnd(of: text, at: position, depth: depth)
      } else if closes(text, position, isMultiline: isMultiline, hashes: hashes) {
        return position + (isMultiline ? 3 : 1) + hashes
      } else if byte == Byte.newline, !isMultiline {
        return position
      } else {
        position += 1
      }
    }
    return text.bytes.count
  }

  private static func quotes(_ text: SourceText, _ start: Int) -> Int {
    var position = start
    while text[position] == Byte.quote { position += 1 }
    return position - start
  }

  /// Whether a multiline string opens.
  ///
  /// `#"""#` is a string with one quotation mark: a multiline one needs a line break after `#"""`.
  private static func opensLines(_ text: SourceText, _ start: Int, _ hashes: Int) -> Bool {
    guard hashes > 0 else { return true }
    var position = start
    while text[position] == 0x20 || text[position] == 0x09 { position += 1 }
    return text[position] == Byte.newline || text[position] == Byte.carriageReturn
  }

  private static func hasHashes(_ text: SourceText, _ start: Int, _ count: Int) -> Bool {
    (0..<count).allSatisfy { text[start + $0] == Byte.hash }
  }

  private static func closes(
    _ text: SourceText,
    _ position: Int,
    isMultiline: Bool,
    hashes: Int
  ) -> Bool {
    let length = isMultiline ? 3 : 1
    return quotes(text, position) >= length && hasHashes(text, position + length, hashes)
  }

  /// Returns the offset after the parenthesis that closes an interpolation.
  private static func interpolationEnd(of text: SourceText, at start: Int, depth: Int) -> Int {
    var position = start
    var open = 0
    while position < text.bytes.count {
      let byte = text[position]
      if let end = end(of: text, at: position, depth: depth + 1) {
        position = max(end, position + 1)
        continue
      }
      if let end = CommentScanner.blockEnd(of: text, at: position) {
        position = end
        continue
      }
      position += 1
      if byte == Byte.openParenthesis { open += 1 }
      if byte == Byte.closeParenthesis { open -= 1 }
      if open == 0 { return position }
    }
    return text.bytes.count
  }
}
