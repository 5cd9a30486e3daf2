/// The bytes that the lexer distinguishes.
enum Byte {
  static let newline = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let slash = UInt8(ascii: "/")
  static let backslash = UInt8(ascii: "\\")
  static let star = UInt8(ascii: "*")
  static let hash = UInt8(ascii: "#")
  static let quote = UInt8(ascii: "\"")
  static let backtick = UInt8(ascii: "`")
  static let dollar = UInt8(ascii: "$")
  static let exclamation = UInt8(ascii: "!")
  static let dot = UInt8(ascii: ".")
  static let plus = UInt8(ascii: "+")
  static let minus = UInt8(ascii: "-")
  static let openParenthesis = UInt8(ascii: "(")
  static let closeParenthesis = UInt8(ascii: ")")
  static let openBracket = UInt8(ascii: "[")
  static let closeBracket = UInt8(ascii: "]")

  private static let punctuation = Set("()[]{},;:.@\\".utf8)
  private static let operators = Set("/=-+!*%<>&|^~?".utf8)

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte) || byte == 0
  }

  static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// Whether a byte starts a name.
  ///
  /// Every byte outside ASCII counts as part of a name: operators from there are rare. An operand
  /// beside one is still separated from it by the white space that such an operator needs.
  static func startsWord(_ byte: UInt8) -> Bool {
    byte == 0x5F || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte >= 0x80
  }

  static func continuesWord(_ byte: UInt8) -> Bool { startsWord(byte) || isDigit(byte) }

  static func isPunctuation(_ byte: UInt8) -> Bool { punctuation.contains(byte) }

  static func isOperator(_ byte: UInt8) -> Bool { operators.contains(byte) }
}
