import Foundation
import StoreProtocol
import StoreTestSupport
import Testing

@testable import JSONFileStore

@Suite struct JSONNumberTests {
  @Test(arguments: [
    ("0", StoreValue.integer(0)), ("-0", .integer(0)), ("42", .integer(42)),
    ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
    ("9223372036854775808", .unsigned(1 << 63)), ("18446744073709551615", .unsigned(.max)),
    ("1.0", .double(1)), ("1e2", .double(100)), ("0.1", .double(0.1)), ("-2.5E-1", .double(-0.25)),
  ])
  func `a number is read as the type of its notation`(text: String, number: StoreValue) throws {
    let result = try scan(text) { try $0.readNumber() }
    #expect(result == number)
  }

  @Test(arguments: [
    "18446744073709551616", "-9223372036854775809", "100000000000000000000", "1e400", "-1e400",
    "1e-400", "1e999999999999999999999", "1e-999999999999999999999",
  ])
  func `a number that fits no type is refused`(text: String) {
    #expect(throws: JSONError.self) { try scan(text) { scanner in try scanner.readNumber() } }
  }

  @Test(arguments: ["1.0", "1e2", "1.5", "9223372036854775808", "\"1\"", "true"])
  func `a value that is not an integer is refused as an integer`(text: String) {
    #expect(throws: JSONError.self) { try scan(text) { scanner in try scanner.readInteger() } }
  }

  @Test func `the sign of zero is kept in a floating-point number`() throws {
    for text in ["-0", "-0.0", "-0e5"] {
      let result = try scan(text) { try $0.readDouble() }
      #expect(result.sign == .minus)
    }
    let result = try scan("0e400") { try $0.readDouble() }
    #expect(result == 0)
  }

  @Test(arguments: [
    "9007199254740993", "9007199254740993.0", "9007199254740991.5", "0.1", "123456789012345678",
    "1.7976931348623157e308", "2.2250738585072014e-308", "5e-324", "4.9406564584124654e-324",
    "0.500000000000000166533453693773481063544750213623046875", "3.518437208883201171875e13",
    "12345678901234567890123", "1e22", "1e23", "8.5e-19", "9999999999999999999e-19",
    "18446744073709551615e-19", "1.0000000000000002", "2.00000000000000011102230246251565",
    "9223372036854775807.5", "0.3333333333333333333", "179769313486231570800e288",
  ])
  func `a decimal is rounded like Swift's Double`(text: String) throws {
    let expected = try #require(Double(text))
    let result = try scan(text) { try $0.readDouble() }
    #expect(result.bitPattern == expected.bitPattern)
  }

  @Test func `random decimals are rounded like Swift's Double`() throws {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<100_000 {
      let digits =
        UInt64.random(in: .min ... .max, using: &generator)
        >> UInt64.random(in: 0..<64, using: &generator)
      let exponent = Int.random(in: -30...30, using: &generator)
      let text = "\(digits)e\(exponent)"
      let value = try scan(text) { try $0.readDouble() }
      guard value == Double(text) else {
        Issue.record("\(text) was read as \(value)")
        return
      }
    }
  }

  @Test func `random floating-point numbers are printed briefly and read back`() throws {
    var generator = SeededGenerator(seed: 2)
    for round in 0..<100_000 {
      var value = Double(bitPattern: generator.next())
      switch round % 4 {
      case 0: value = Double(Int.random(in: -1_000_000...1_000_000, using: &generator)) / 1000
      case 1: value = Double.random(in: -1e6...1e6, using: &generator)
      case 2: value = Double(Int.random(in: -99_999...99_999, using: &generator)) / 100_000
      default: break
      }
      guard value.isFinite else { continue }
      var printer = JSONPrinter()
      printer.append(value)
      let text = String(decoding: printer.bytes, as: UTF8.self)
      let back = try scan(text) { try $0.readDouble() }
      guard back.bitPattern == value.bitPattern, text.count <= value.description.count else {
        Issue.record("\(value) was printed as \(text) and read as \(back)")
        return
      }
      guard case .double = try scan(text, { try $0.readNumber() }) else {
        Issue.record("\(text) has no fraction")
        return
      }
    }
  }

  @Test(arguments: [0, 9, 10, 12_345, -1, -10, Int64.max, Int64.min])
  func `integers are printed and read back`(number: Int64) throws {
    var printer = JSONPrinter()
    printer.append(number)
    #expect(String(decoding: printer.bytes, as: UTF8.self) == "\(number)")
    let result = try scan(bytes: printer.bytes) { try $0.readInteger() }
    #expect(result == number)
  }
}
