import Foundation
import Testing

@testable import PostgreSQLClient

@Suite("Binary values")
struct ValueTests {
  private func decoded<Value: PostgreSQLValue>(
    _ bytes: [UInt8],
    as type: Value.Type = Value.self
  ) throws -> Value {
    try bytes.withUnsafeBytes { try Value(field: $0) }
  }

  private func array<Value: PostgreSQLValue>(
    _ bytes: [UInt8],
    of type: Value.Type = Value.self
  ) throws -> [Value?] {
    try bytes.withUnsafeBytes { try ArrayField.decode($0) }
  }

  @Test(arguments: [
    "0", "1", "-1", "10000", "9999", "0.0001", "-0.00001", "12345.678", "100000000", "0.10",
    "340282366920938463463374607431768211455", "-99999999999999999999999999999999999999",
    "10203000.04",
  ])
  func `decimal numbers keep every digit`(_ string: String) throws {
    for exponent in [-128, -90, -1, 0, 1, 60] {
      let number = try #require(Decimal(string: string))
      guard (-128...88).contains(number.exponent + exponent) else { continue }
      let scaled = Decimal(sign: number.sign, exponent: exponent, significand: number.magnitude)
      let again = try decoded(encoded(scaled), as: Decimal.self)
      #expect(again == scaled && again.description == scaled.description)
    }
  }

  @Test
  func `numbers that Decimal cannot represent are errors`() throws {
    #expect(try decoded(encoded(Decimal.nan), as: Decimal.self).isNaN)
    // 10,000 to the power of 40, infinity, 41 digits.
    let unrepresentable: [[UInt8]] = [
      [0, 1, 0, 40, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0xD0, 0, 0, 0], [0, 0, 0, 0, 0xF0, 0, 0, 0],
      [0, 11, 0, 10, 0, 0, 0, 0] + [UInt8](repeating: 1, count: 22),
      [0, 1, 0xFF, 0xD0, 0, 0, 0, 0, 0, 1],
    ]
    for bytes in unrepresentable {
      let error = #expect(throws: PostgreSQLError.self) { try decoded(bytes, as: Decimal.self) }
      #expect(error?.kind == .invalidValue)
    }
    // Too short, a digit of 10,000, a sign that does not exist, a digit too few.
    let invalid: [[UInt8]] = [
      [], [0, 1, 0, 0, 0, 0, 0, 0, 0x27, 0x10], [0, 0, 0, 0, 0, 1, 0, 0],
      [0, 1, 0, 0, 0, 0, 0, 0, 1],
    ]
    for bytes in invalid {
      let error = #expect(throws: PostgreSQLError.self) { try decoded(bytes, as: Decimal.self) }
      #expect(error?.kind == .invalidResponse)
    }
  }

  @Test
  func `fields of the wrong length are errors`() {
    for count in 0...9 {
      let bytes = [UInt8](repeating: 0, count: count)
      #expect((try? decoded(bytes, as: Bool.self)) == (count == 1 ? false : nil))
      #expect((try? decoded(bytes, as: Int32.self)) == (count == 4 ? 0 : nil))
      #expect((try? decoded(bytes, as: Int64.self)) == (count == 8 ? 0 : nil))
      #expect((try? decoded(bytes, as: Double.self)) == (count == 8 ? 0 : nil))
      #expect((try? decoded(bytes, as: UUID.self)) == nil)
    }
    #expect((try? decoded([2], as: Bool.self)) == nil)
    #expect((try? decoded([0xC3], as: String.self)) == nil)
    #expect((try? decoded([0xED, 0xA0, 0x80], as: String.self)) == nil)
  }

  @Test
  func `arrays with invalid lengths or headers are errors`() throws {
    let bytes = try #require(Parameter(array: [1, nil, -3] as [Int64?]).bytes)
    #expect(try array(bytes, of: Int64.self) == [1, nil, -3])
    let none = try #require(Parameter(array: [] as [Int64?]).bytes)
    #expect(try array(none, of: Int64.self) == [])
    for count in 0..<bytes.count {
      #expect((try? array(Array(bytes.prefix(count)), of: Int64.self)) == nil)
    }
    #expect((try? array(bytes + [0], of: Int64.self)) == nil)
    #expect((try? array(bytes, of: String.self)) == nil)
    // Two dimensions; 2,147,483,647 and -1 elements; an element of -2 bytes.
    for (position, value) in [(3, 2), (12, 0x7F), (12, 0xFF), (23, 0xFE)] as [(Int, UInt8)] {
      var changed = bytes
      changed[position] = value
      #expect((try? array(changed, of: Int64.self)) == nil, "\(position)")
    }
  }

  @Test
  func `names are quoted, and refused if the server would change them`() throws {
    #expect(try SQLName.quoted("a\"b") == "\"a\"\"b\"")
    // With a combining mark after it, a quotation mark is another character.
    #expect(try Array(SQLName.quoted("a\"\u{301}").utf8) == Array("\"a\"\"\u{301}\"".utf8))
    #expect(try SQLName.quoted(String(repeating: "ä", count: 31)).utf8.count == 64)
    for name in ["", "a\0b", String(repeating: "ä", count: 32)] {
      #expect(throws: PostgreSQLError.self) { try SQLName.quoted(name) }
    }
  }

  private func encoded(_ number: Decimal) -> [UInt8] {
    var bytes: [UInt8] = []
    number.append(to: &bytes)
    return bytes
  }
}
