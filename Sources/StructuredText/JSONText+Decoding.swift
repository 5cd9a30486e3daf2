import Foundation
import StoreProtocol

extension JSONText {
  /// Reads a value that ``encoded(_:)`` wrote.
  ///
  /// - Throws: ``Malformed`` with the offset of the first invalid byte.
  package static func decoded(_ text: String) throws -> StoreValue {
    var reader = JSONTextReader(text)
    let value = try reader.value()
    guard reader.isAtEnd else { throw reader.malformed }
    return value
  }
}

/// A reader of plain JSON, and of the objects for values that JSON cannot represent.
private struct JSONTextReader {
  private let bytes: [UInt8]
  private var offset = 0
  /// The number of enclosing values.
  private var depth = 0

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  var malformed: JSONText.Malformed { JSONText.Malformed(offset: offset) }

  var isAtEnd: Bool {
    mutating get {
      skipSpaces()
      return offset == bytes.count
    }
  }

  /// A list or an object that was entered and not left.
  private struct Open {
    let isList: Bool
    /// Whether this is the content of `$object`, which may have any names.
    let isEscaped: Bool
    var elements: [StoreValue] = []
    var members: [StoreValue.Member] = []
    /// The name of the current member.
    var name = ""

    var awaitsEscapedObject: Bool {
      !isList && !isEscaped && members.isEmpty && name == "$object"
    }
  }

  /// Reads a value with its nested values, without recursion, because texts come from files.
  mutating func value() throws -> StoreValue {
    var open: [Open] = []
    while true {
      guard var value = try begin(&open) else { continue }
      while !open.isEmpty {
        guard let whole = try add(value, to: &open) else { break }
        value = whole
      }
      if open.isEmpty { return value }
    }
  }

  /// Reads a value without nested values, or enters a list or an object and returns `nil`.
  private mutating func begin(_ open: inout [Open]) throws -> StoreValue? {
    guard depth <= JSONText.maximumDepth + 1 else { throw malformed }
    skipSpaces()
    let isEscaped = open.last?.awaitsEscapedObject ?? false
    if isEscaped, peek != UInt8(ascii: "{") { throw malformed }
    switch peek {
    case UInt8(ascii: "{"):
      offset += 1
      if take(UInt8(ascii: "}")) { return .composite([]) }
      open.append(Open(isList: false, isEscaped: isEscaped, name: try memberName()))
      // An escaped object and its enclosing object are one value.
      if !isEscaped { depth += 1 }
      return nil
    case UInt8(ascii: "["):
      offset += 1
      if take(UInt8(ascii: "]")) { return .array([]) }
      open.append(Open(isList: true, isEscaped: false))
      depth += 1
      return nil
    case UInt8(ascii: "\""): return .string(try text())
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    default: return try number()
    }
  }

  /// Adds a value to the innermost list or object, and returns that list or object if it ends.
  private mutating func add(_ value: StoreValue, to open: inout [Open]) throws -> StoreValue? {
    let last = open.count - 1
    if open[last].isList {
      open[last].elements.append(value)
      if take(UInt8(ascii: ",")) { return nil }
      try expect("]")
    } else {
      open[last].members.append(.init(open[last].name, value))
      if take(UInt8(ascii: ",")) {
        open[last].name = try memberName()
        return nil
      }
      try expect("}")
    }
    let ended = open.removeLast()
    if ended.isEscaped { return .composite(ended.members) }
    depth -= 1
    return ended.isList ? .array(ended.elements) : try object(ended.members)
  }

  private mutating func memberName() throws -> String {
    skipSpaces()
    let name = try text()
    try expect(":")
    return name
  }

  private func object(_ members: [StoreValue.Member]) throws -> StoreValue {
    guard let first = members.first, first.name.utf8.first == UInt8(ascii: "$") else {
      return .composite(members)
    }
    guard members.count == 1 else { throw malformed }
    return try tagged(first)
  }

  private var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private mutating func skipSpaces() {
    while let byte = peek, byte == 0x20 || (byte >= 0x09 && byte <= 0x0D) { offset += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    skipSpaces()
    guard peek == byte else { return false }
    offset += 1
    return true
  }

  private mutating func expect(_ character: Unicode.Scalar) throws {
    guard take(UInt8(ascii: character)) else { throw malformed }
  }

  private mutating func word(_ word: String, _ value: StoreValue) throws -> StoreValue {
    guard bytes[offset...].starts(with: word.utf8) else { throw malformed }
    offset += word.utf8.count
    return value
  }

  private func tagged(_ member: StoreValue.Member) throws -> StoreValue {
    switch (member.name, member.value) {
    case ("$object", .composite): return member.value
    case ("$double", .string(let digits)):
      guard digits.utf8.count == 16, let bits = UInt64(digits, radix: 16) else { break }
      return .double(Double(bitPattern: bits))
    case ("$date", .double(let seconds)):
      return .date(Date(timeIntervalSinceReferenceDate: seconds))
    case ("$decimal", .string(let digits)):
      if let number = DecimalText.decoded(digits) { return .decimal(number) }
    case ("$data", .string(let text)):
      if let data = Data(base64Encoded: text) { return .data(data) }
    case ("$uuid", .string(let text)):
      if let uuid = UUID(text: text) { return .uuid(uuid) }
    case ("$identifier", let value):
      if let identifier = identifier(value) { return .identifier(identifier) }
    case ("$identifiers", .array(let values)):
      let identifiers = values.compactMap(identifier)
      if identifiers.count == values.count { return .identifiers(identifiers) }
    default: break
    }
    throw malformed
  }

  private func identifier(_ value: StoreValue) -> PersistentIdentifier? {
    guard case .array(let parts) = value, parts.count == 3,
      case .string(let entity) = parts[1]
    else { return nil }
    let store: String?
    switch parts[0] {
    case .string(let name): store = name
    case .null: store = nil
    default: return nil
    }
    let scope = PersistentIdentifier.Scope(storeIdentifier: store, entityName: entity)
    switch parts[2] {
    case .integer(let key): return PersistentIdentifier(scope: scope, key: .integer(key))
    case .string(let key): return PersistentIdentifier(scope: scope, key: .text(key))
    default: return nil
    }
  }
}

extension JSONTextReader {
  private mutating func number() throws -> StoreValue {
    let start = offset
    while let byte = peek, Self.numberBytes.contains(byte) { offset += 1 }
    let text = String(decoding: bytes[start..<offset], as: UTF8.self)
    if let integer = Int64(text) { return .integer(integer) }
    if let unsigned = UInt64(text) { return .unsigned(unsigned) }
    guard let number = Double(text), number.isFinite else { throw malformed }
    return .double(number)
  }

  private static let numberBytes = Set("+-.eE0123456789".utf8)

  private mutating func text() throws -> String {
    guard peek == UInt8(ascii: "\"") else { throw malformed }
    offset += 1
    var content: [UInt8] = []
    while let byte = peek {
      offset += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: content, as: UTF8.self)
      case UInt8(ascii: "\\"): try escape(into: &content)
      case 0..<0x20: throw malformed
      default: content.append(byte)
      }
    }
    throw malformed
  }

  private mutating func escape(into content: inout [UInt8]) throws {
    guard let byte = peek else { throw malformed }
    offset += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(byte)
    case UInt8(ascii: "b"): content.append(0x08)
    case UInt8(ascii: "f"): content.append(0x0C)
    case UInt8(ascii: "n"): content.append(0x0A)
    case UInt8(ascii: "r"): content.append(0x0D)
    case UInt8(ascii: "t"): content.append(0x09)
    case UInt8(ascii: "u"): content += try escapedText().utf8
    default: throw malformed
    }
  }

  /// Reads an escaped scalar; another program may write a scalar beyond the first plane as a
  /// surrogate pair.
  private mutating func escapedText() throws -> String {
    let first = try hexadecimalUnit()
    if let scalar = Unicode.Scalar(UInt32(first)) { return String(scalar) }
    guard bytes[offset...].starts(with: "\\u".utf8) else { throw malformed }
    offset += 2
    let second = try hexadecimalUnit()
    guard UTF16.isLeadSurrogate(first), UTF16.isTrailSurrogate(second) else { throw malformed }
    return String(decoding: [first, second], as: UTF16.self)
  }

  private mutating func hexadecimalUnit() throws -> UInt16 {
    guard offset + 4 <= bytes.count else { throw malformed }
    let digits = String(decoding: bytes[offset..<offset + 4], as: UTF8.self)
    // The conversion to a number accepts a sign; an escape must not have one.
    guard digits.first?.isHexDigit == true, let unit = UInt16(digits, radix: 16) else {
      throw malformed
    }
    offset += 4
    return unit
  }
}
