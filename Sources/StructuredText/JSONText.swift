import Foundation
import StoreProtocol

/// Structured values as JSON text, exact in both directions and readable by SQLite's own JSON
/// functions.
///
/// Null, Booleans, integers, finite numbers, strings, lists and named members are plain JSON. A
/// floating-point number always has a decimal point or an exponent, which distinguishes it from an
/// integer. A value that JSON cannot represent is an object with one member whose name starts with
/// `$`:
///
/// | member | value |
/// |---|---|
/// | `$double` | the 16 hexadecimal digits of NaN, an infinity or negative zero |
/// | `$decimal` | the digits |
/// | `$date` | seconds since 1 January 2001, as a number or a `$double` |
/// | `$data` | Base64 |
/// | `$uuid` | the usual 36 characters |
/// | `$identifier` | store, entity and key |
/// | `$identifiers` | a list of these |
/// | `$object` | an object whose own first name starts with `$` |
package enum JSONText {
  /// An error for a text that ``encoded(_:)`` does not return.
  package struct Malformed: Error {
    package let offset: Int
  }

  /// An error for a value that has no permanent form.
  package struct NotStorable: Error {
    package let reason: String
  }

  /// The maximum nesting depth of lists and objects.
  package static let maximumDepth = 512

  /// Returns the text of a value.
  ///
  /// - Throws: ``NotStorable`` for an identifier of an unsaved object, and for values nested deeper
  ///   than ``maximumDepth``.
  package static func encoded(_ value: StoreValue) throws -> String {
    var bytes: [UInt8] = []
    // Most texts are short: one allocation is enough.
    bytes.reserveCapacity(128)
    try append(value, to: &bytes, depth: 0)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the text of a value, an element of a list.
  ///
  /// - Throws: ``NotStorable``, as ``encoded(_:)`` does.
  package static func append(element value: StoreValue, to bytes: inout [UInt8]) throws {
    try append(value, to: &bytes, depth: 1)
  }

  private static func append(
    _ value: StoreValue,
    to bytes: inout [UInt8],
    depth: Int
  ) throws {
    guard depth <= maximumDepth else { throw NotStorable(reason: "it is nested too deeply") }
    switch value {
    case .null: bytes += "null".utf8
    case .bool(let flag): bytes += (flag ? "true" : "false").utf8
    case .integer(let number): bytes += "\(number)".utf8
    case .unsigned(let number): bytes += "\(number)".utf8
    case .double(let number): append(number, to: &bytes)
    case .string(let text): append(text, to: &bytes)
    case .array(let values):
      try appendList(values, to: &bytes) { try append($0, to: &$1, depth: depth + 1) }
    case .composite(let members): try append(members, to: &bytes, depth: depth)
    default: try appendTagged(value, to: &bytes)
    }
  }

  private static func appendTagged(_ value: StoreValue, to bytes: inout [UInt8]) throws {
    switch value {
    case .decimal(let number): appendTag("decimal", number.description, to: &bytes)
    case .data(let data): appendTag("data", data.base64EncodedString(), to: &bytes)
    case .uuid(let uuid): appendTag("uuid", uuid.text, to: &bytes)
    case .date(let date):
      bytes += "{\"$date\":".utf8
      append(date.timeIntervalSinceReferenceDate, to: &bytes)
      bytes += "}".utf8
    case .identifier(let identifier):
      bytes += "{\"$identifier\":".utf8
      try append(identifier, to: &bytes)
      bytes += "}".utf8
    case .identifiers(let identifiers):
      bytes += "{\"$identifiers\":".utf8
      try appendList(identifiers, to: &bytes) { try append($0, to: &$1) }
      bytes += "}".utf8
    default: throw NotStorable(reason: "it is \(value.kindName)")
    }
  }

  private static func appendTag(_ tag: String, _ text: String, to bytes: inout [UInt8]) {
    bytes += "{\"$\(tag)\":\"\(text)\"}".utf8
  }

  private static func appendList<Element>(
    _ elements: [Element],
    to bytes: inout [UInt8],
    _ appendElement: (Element, inout [UInt8]) throws -> Void
  ) throws {
    bytes.append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      try appendElement(element, &bytes)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  private static func append(
    _ members: [StoreValue.Member],
    to bytes: inout [UInt8],
    depth: Int
  ) throws {
    let isEscaped = members.first?.name.utf8.first == UInt8(ascii: "$")
    if isEscaped { bytes += "{\"$object\":".utf8 }
    bytes.append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      append(member.name, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      try append(member.value, to: &bytes, depth: depth + 1)
    }
    bytes.append(UInt8(ascii: "}"))
    if isEscaped { bytes.append(UInt8(ascii: "}")) }
  }

  private static func append(
    _ identifier: PersistentIdentifier,
    to bytes: inout [UInt8]
  ) throws {
    bytes.append(UInt8(ascii: "["))
    if let store = identifier.storeIdentifier {
      append(store, to: &bytes)
    } else {
      bytes += "null".utf8
    }
    bytes.append(UInt8(ascii: ","))
    append(identifier.entityName, to: &bytes)
    bytes.append(UInt8(ascii: ","))
    switch identifier.key {
    case .integer(let number): bytes += "\(number)".utf8
    case .text(let text): append(text, to: &bytes)
    case .temporary: throw NotStorable(reason: "it contains an object that was never saved")
    }
    bytes.append(UInt8(ascii: "]"))
  }

  private static func append(_ number: Double, to bytes: inout [UInt8]) {
    if number.isFinite, !(number == 0 && number.sign == .minus) {
      bytes += "\(number)".utf8
    } else {
      appendTag("double", number.bitPattern.hexadecimal, to: &bytes)
    }
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): bytes += "\\\"".utf8
      case UInt8(ascii: "\\"): bytes += "\\\\".utf8
      case UInt8(ascii: "\n"): bytes += "\\n".utf8
      case 0..<0x20:
        bytes += (byte < 0x10 ? "\\u000" : "\\u00").utf8
        bytes += String(byte, radix: 16).utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
