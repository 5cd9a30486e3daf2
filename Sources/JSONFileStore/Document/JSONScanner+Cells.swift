import Foundation
import StoreHelpers
import StoreProtocol

extension JSONScanner {
  /// Reads a cell, which is null for the text `null`.
  @inline(__always)
  mutating func readCell(_ type: CellType) throws(JSONError) -> Cell {
    if try readNull() { return .null }
    switch type {
    case .string: return .string(try readString())
    case .integer(let range): return .integer(try readInteger(in: range))
    case .double: return .double(try readAnyDouble())
    case .date: return .double(try readDate())
    case .reference: return .integer(try readInteger(in: 1...Int64.max))
    case .bool: return .integer(try readBool() ? 1 : 0)
    default: return try readOtherCell(type)
    }
  }

  mutating func readOtherCell(_ type: CellType) throws(JSONError) -> Cell {
    switch type {
    case .references: return .keys(try readKeys())
    case .unsigned: return .value(try readUnsigned().storeValue)
    case .decimal: return .value(.decimal(try readDecimal()))
    case .data: return .value(.data(try readKeyData()))
    case .external: return try readExternalCell()
    case .uuid: return .value(.uuid(try readUUID()))
    case .codable: return .value(try readTagged())
    default:
      try skipValue()
      return .null
    }
  }

  mutating func readInteger(in range: ClosedRange<Int64>) throws(JSONError) -> Int64 {
    _ = try nextToken()
    let start = position
    let value = try readInteger()
    guard range.contains(value) else {
      throw error(.numberOutOfRange("\(range.lowerBound) to \(range.upperBound)"), at: start)
    }
    return value
  }

  /// Reads the state of a counter, whose name in errors is a plural.
  mutating func readCounter(_ name: String, from least: Int64) throws(JSONError) -> Int64 {
    _ = try nextToken()
    let start = position
    let number = try readInteger()
    guard (least...StoreNumbers.greatest).contains(number) else {
      throw error(.invalidValue("\(name) must be from \(least) to 2^62"), at: start)
    }
    return number
  }

  mutating func readKeys() throws(JSONError) -> [Int64] {
    var keys: [Int64] = []
    var isFirst = true
    try beginArray()
    while try nextElement(&isFirst) { keys.append(try readInteger(in: 1...Int64.max)) }
    return keys
  }

  /// Reads a number, or the object that represents a number that JSON lacks.
  @inline(__always)
  mutating func readAnyDouble() throws(JSONError) -> Double {
    guard try nextToken() == UInt8(ascii: "{") else { return try readDouble() }
    return try readMarked(
      "$double",
      { (scanner) throws(JSONError) in try scanner.readNamedDouble() }
    )
  }

  @inline(__always)
  mutating func readDate() throws(JSONError) -> Double {
    let byte = try nextToken()
    if byte == UInt8(ascii: "\"") { return try readDateText() }
    guard byte == UInt8(ascii: "{") else { throw unexpected("a date") }
    return try readMarked("$date", { (scanner) throws(JSONError) in try scanner.readExactDate() })
  }

  private mutating func readDateText() throws(JSONError) -> Double {
    let start = position
    let text = try readText()
    let bytes = UnsafeBufferPointer(start: base + text.start, count: text.end - text.start)
    guard !text.hasEscapes, let date = DateText.date(bytes) else {
      throw error(.invalidValue("the string is not a date such as 2013-01-01T05:00:00Z"), at: start)
    }
    return date.timeIntervalSinceReferenceDate
  }

  mutating func readExactDate() throws(JSONError) -> Double {
    try nextToken() == UInt8(ascii: "\"") ? try readNamedDouble() : try readDouble()
  }

  mutating func readNamedDouble() throws(JSONError) -> Double {
    let start = position
    let name = try readString()
    switch name {
    case "inf": return .infinity
    case "-inf": return -.infinity
    case "nan": return .nan
    default:
      guard name.hasPrefix("0x"), let bits = UInt64(name.dropFirst(2), radix: 16) else {
        throw error(.invalidValue("\"\(name)\" is not a floating-point number"), at: start)
      }
      return Double(bitPattern: bits)
    }
  }

  /// Reads an object with one member of a given key.
  mutating func readMarked<Value>(
    _ key: String,
    _ read: (inout JSONScanner) throws(JSONError) -> Value
  ) throws(JSONError) -> Value {
    var isFirst = true
    try beginObject()
    let start = position
    guard let found = try nextMember(&isFirst), try string(of: found) == key else {
      throw error(.invalidValue("the object must have the key \"\(key)\""), at: start)
    }
    let value = try read(&self)
    guard try nextMember(&isFirst) == nil else {
      throw error(.invalidValue("the object must have exactly one key"))
    }
    return value
  }

  mutating func readDecimal() throws(JSONError) -> Decimal {
    if try nextToken() != UInt8(ascii: "\"") {
      let bytes = try skipValue()
      return try decimal(bytes, from: bytes.lowerBound)
    }
    let start = position
    let text = try readText()
    return try decimal(text.start..<text.end, from: start)
  }

  private func decimal(_ range: Range<Int>, from start: Int) throws(JSONError) -> Decimal {
    let bytes = UnsafeBufferPointer(start: base + range.lowerBound, count: range.count)
    let text = String(decoding: bytes, as: UTF8.self)
    guard let value = Decimal(exactText: text) else {
      throw error(.invalidValue("the string is not a decimal number of up to 38 digits"), at: start)
    }
    return value
  }

  mutating func readData() throws(JSONError) -> Data {
    _ = try nextToken()
    let start = position
    guard let data = Data(base64Encoded: try readString()) else {
      throw error(.invalidValue("the string is not base64"), at: start)
    }
    return data
  }

  mutating func readUUID() throws(JSONError) -> UUID {
    _ = try nextToken()
    let start = position
    guard let uuid = UUID(text: try readString()) else {
      throw error(.invalidValue("the string is not a UUID"), at: start)
    }
    return uuid
  }
}

extension Decimal {
  /// Creates a number from the text of `description`, or returns `nil` for a text that does not
  /// round-trip digit by digit.
  init?(exactText text: String) {
    if text == "NaN" {
      self = .nan
      return
    }
    let digits = text.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ".") }
    guard !digits.isEmpty, digits.allSatisfy({ $0 &- UInt8(ascii: "0") <= 9 }),
      let value = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")),
      value.description == Self.withoutZeros(text)
    else { return nil }
    self = value
  }

  /// Returns the text without insignificant zeros, as in `description`.
  private static func withoutZeros(_ text: String) -> String {
    let isNegative = text.hasPrefix("-")
    let parts = text.drop { $0 == "-" }.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, let first = parts.first else { return "" }
    var whole = first.drop { $0 == "0" }
    if whole.isEmpty { whole = "0" }
    var fraction = parts.count == 2 ? parts[1] : ""
    while fraction.hasSuffix("0") { fraction.removeLast() }
    let number = fraction.isEmpty ? String(whole) : "\(whole).\(fraction)"
    return isNegative && number != "0" ? "-\(number)" : number
  }
}
