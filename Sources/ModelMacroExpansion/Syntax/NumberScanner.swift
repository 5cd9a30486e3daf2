/// Finds the end of a number literal.
enum NumberScanner {
  /// Returns the end of the number that starts at an offset, and whether it is a floating-point
  /// number.
  static func scan(_ text: SourceText, at start: Int) -> (end: Int, isFloat: Bool) {
    let isHexadecimal = text[start] == UInt8(ascii: "0") && text[start + 1] == UInt8(ascii: "x")
    let exponents: Set<UInt8> = isHexadecimal ? Set("pP".utf8) : Set("eE".utf8)
    var isFloat = false
    var position = start
    while true {
      let byte = text[position]
      if exponents.contains(byte) {
        isFloat = true
        position += 1
        if text[position] == Byte.plus || text[position] == Byte.minus { position += 1 }
      } else if byte == Byte.dot, !isFloat, digitFollows(text, position, isHexadecimal) {
        isFloat = true
        position += 1
      } else if Byte.continuesWord(byte) {
        position += 1
      } else {
        return (position, isFloat)
      }
    }
  }

  private static func digitFollows(_ text: SourceText, _ dot: Int, _ isHexadecimal: Bool) -> Bool {
    let next = text[dot + 1]
    return Byte.isDigit(next) || (isHexadecimal && isHexadecimalFraction(text, dot + 1))
  }

  /// Whether a fraction follows.
  ///
  /// `0x1.fp3` is a number and `0x1.description` is not: a fraction ends with an exponent.
  private static func isHexadecimalFraction(_ text: SourceText, _ start: Int) -> Bool {
    var position = start
    while Set("0123456789abcdefABCDEF_".utf8).contains(text[position]) { position += 1 }
    return position > start && Set("pP".utf8).contains(text[position])
  }
}
