/// Finds the end of a comment.
enum CommentScanner {
  /// Returns the offset after the block comment at an offset, or `nil` if none starts there.
  static func blockEnd(of text: SourceText, at start: Int) -> Int? {
    guard opens(text, start) else { return nil }
    var position = start
    var depth = 0
    repeat {
      if opens(text, position) {
        depth += 1
        position += 2
      } else if text[position] == Byte.star, text[position + 1] == Byte.slash {
        depth -= 1
        position += 2
      } else {
        position += 1
      }
    } while depth > 0 && position < text.bytes.count
    return min(position, text.bytes.count)
  }

  private static func opens(_ text: SourceText, _ position: Int) -> Bool {
    text[position] == Byte.slash && text[position + 1] == Byte.star
  }
}
