/// An error in JSON text, with its location.
struct JSONError: Error, Hashable, Sendable {
  enum Reason: Hashable, Sendable {
    case unexpectedEnd
    case unexpected(UInt8, expected: String)
    case trailingText
    case byteOrderMark
    case conflictMarker
    case depth
    case controlCharacter
    case invalidUTF8
    case invalidEscape
    case loneSurrogate
    case invalidNumber
    case notInteger
    case numberOutOfRange(String)
    case duplicateKey(String)
    case invalidValue(String)
    case unknownSchema(String)
  }

  let reason: Reason
  /// The byte offset of the error, from 0.
  let offset: Int
  /// The line, from 1.
  let line: Int
  /// The position in the line in Unicode scalars, from 1.
  let column: Int
}

extension JSONError: CustomStringConvertible {
  var description: String { "line \(line), column \(column): \(sentence)" }

  /// The description without the location.
  var sentence: String {
    switch reason {
    case .unexpectedEnd: "the JSON text ends early"
    case .unexpected(let byte, let expected):
      "\(expected) is expected, not \(Self.shown(byte))"
    case .trailingText: "the value is followed by other characters"
    case .byteOrderMark:
      "the text begins with a byte order mark; save it as UTF-8 without one"
    case .conflictMarker:
      "the line is a conflict marker of a merge; resolve the conflict, and use 'storectl merge' as "
        + "the merge driver"
    case .depth: "values are nested more than \(JSONScanner.maximumDepth) deep"
    case .controlCharacter: "a control character in a string must be escaped"
    case .invalidUTF8: "the bytes are not UTF-8"
    case .invalidEscape: "the escape does not exist in JSON"
    case .loneSurrogate: "an escape is half of a surrogate pair"
    case .invalidNumber: "the number is not in JSON's format"
    case .notInteger: "an integer is written without a fraction and an exponent: 1, not 1.0"
    case .numberOutOfRange(let type): "the number does not fit \(type)"
    case .duplicateKey(let key): "the key \"\(key)\" occurs twice in one object"
    case .invalidValue(let sentence), .unknownSchema(let sentence): sentence
    }
  }

  private static func shown(_ byte: UInt8) -> String {
    (0x21...0x7E).contains(byte)
      ? "\"\(Character(UnicodeScalar(byte)))\"" : "byte \(byte)"
  }
}
