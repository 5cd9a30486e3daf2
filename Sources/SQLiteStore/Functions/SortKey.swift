import Foundation
import SQLTranslation
import StoreProtocol
import StructuredText

/// Values as bytes that have the values' sort order.
///
/// A floating-point NaN follows all numbers. Strings are ordered by Swift's `<`, and lists and
/// structures element by element. No key is a prefix of another, so that keys can be concatenated.
enum SortKey {
  /// Returns the key of a value, or `nil` for a nil value, which SQLite orders correctly.
  static func bytes(of value: StoreValue) -> [UInt8]? {
    if value.isNull { return nil }
    var bytes: [UInt8] = []
    append(value, to: &bytes)
    return bytes
  }

  private static func append(_ value: StoreValue, to bytes: inout [UInt8]) {
    bytes.append(rank(of: value))
    switch value {
    case .null: break
    case .bool(let flag): bytes.append(flag ? 1 : 0)
    case .integer(let number): append(whole: number, to: &bytes)
    case .unsigned(let number): append(whole: number, to: &bytes)
    case .double(let number): append(number, 0, to: &bytes)
    case .decimal(let number): append(number, to: &bytes)
    case .string(let text): append(ExactText.composed(text).utf8, to: &bytes)
    case .date(let date): append(date.timeIntervalSinceReferenceDate, 0, to: &bytes)
    case .data(let data): append(data, to: &bytes)
    case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { bytes += $0 }
    case .identifier(let identifier): append(identifier, to: &bytes)
    case .identifiers(let list):
      for identifier in list { append(.identifier(identifier), to: &bytes) }
      bytes.append(end)
    case .array(let list):
      for element in list { append(element, to: &bytes) }
      bytes.append(end)
    case .composite(let members):
      for member in members {
        bytes.append(more)
        append(ExactText.composed(member.name).utf8, to: &bytes)
        append(member.value, to: &bytes)
      }
      bytes.append(end)
    }
  }

  // Lower than the rank of any value, including nil in a list.
  private static let end: UInt8 = 0
  private static let more: UInt8 = 1

  private static func rank(of value: StoreValue) -> UInt8 {
    switch value {
    case .null: 1
    case .bool: 2
    case .integer, .unsigned, .double: 3
    // No property mixes decimals with other numbers.
    case .decimal: 4
    case .string: 5
    case .date: 6
    case .data: 7
    case .uuid: 8
    case .identifier: 9
    case .identifiers, .array: 10
    case .composite: 11
    }
  }

  /// Appends an integer as the greatest real that is not above it, and the remainder.
  private static func append<I: FixedWidthInteger>(whole number: I, to bytes: inout [UInt8]) {
    var real = Double(number)
    var exact = I(exactly: real)
    if exact.map({ $0 > number }) ?? (real > 0) {
      real = real.nextDown
      exact = I(exactly: real)
    }
    let rest = exact.map { number - $0 } ?? 0
    append(real, UInt16(truncatingIfNeeded: rest), to: &bytes)
  }

  private static func append(_ real: Double, _ rest: UInt16, to bytes: inout [UInt8]) {
    let bits = real.isNaN ? UInt64.max : (real == 0 ? 0.0 : real).orderedBits
    withUnsafeBytes(of: bits.bigEndian) { bytes += $0 }
    withUnsafeBytes(of: rest.bigEndian) { bytes += $0 }
  }

  // Zero bytes in the content are escaped, so that two of them end the key.
  private static func append(_ content: some Sequence<UInt8>, to bytes: inout [UInt8]) {
    for byte in content {
      bytes.append(byte)
      if byte == 0 { bytes.append(0xFF) }
    }
    bytes += [0, 0]
  }

  /// Appends the sign, the exponent, and the digits, with inverted bits for negative numbers.
  private static func append(_ number: Decimal, to bytes: inout [UInt8]) {
    // Foundation orders NaN before all other decimals.
    if number.isNaN { return bytes.append(0) }
    if number == 0 { return bytes.append(2) }
    let text = DecimalText.encoded(number.magnitude).utf8
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let whole = parts[0].drop { $0 == UInt8(ascii: "0") }
    let fraction = parts.count > 1 ? Array(parts[1]) : []
    let zeros = whole.isEmpty ? fraction.prefix { $0 == UInt8(ascii: "0") }.count : 0
    var digits = Array(whole) + fraction.dropFirst(zeros)
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    let exponent = UInt16(truncatingIfNeeded: whole.count - zeros + 0x4000)
    let key = [UInt8(exponent >> 8), UInt8(exponent & 0xFF)] + digits + [0]
    bytes.append(number < 0 ? 1 : 3)
    bytes += number < 0 ? key.map { ~$0 } : key
  }

  private static func append(_ identifier: PersistentIdentifier, to bytes: inout [UInt8]) {
    let key = UInt64(bitPattern: identifier.integerKey ?? 0) ^ (1 << 63)
    withUnsafeBytes(of: key.bigEndian) { bytes += $0 }
  }
}

extension Double {
  /// The bits as an integer that has the order of the reals.
  fileprivate var orderedBits: UInt64 {
    bitPattern & (1 << 63) == 0 ? bitPattern | (1 << 63) : ~bitPattern
  }
}
