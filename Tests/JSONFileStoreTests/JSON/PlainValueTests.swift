import Foundation
import StoreTestSupport
import Testing

@testable import JSONFileStore

/// Tests of the fast paths for values, which must agree with the general paths.
@Suite struct PlainValueTests {
  /// Invalid UTF-8: truncated, overlong, surrogates, beyond the last scalar, stray.
  private static let invalid: [[UInt8]] = [
    [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80],
    [0xF4, 0x90, 0x80, 0x80], [0x80], [0xBF, 0xBF], [0xFF], [0xFE],
  ]
  private static let valid: [[UInt8]] = ["é", "€", "😀", "\u{FFFD}", "\u{7F}", "e\u{301}", "ø日"]
    .map { Array($0.utf8) }

  /// The value that a scanner reads, and its position afterward.
  private func outcome<Value>(
    _ bytes: [UInt8],
    _ read: (inout JSONScanner) throws -> Value?
  ) -> (value: Value?, position: Int) {
    bytes.withUnsafeBytes { bytes in
      var scanner = JSONScanner(bytes)
      let value = try? read(&scanner)
      return (value, scanner.position)
    }
  }

  /// The value followed by 0 to 9 blanks, so that it ends at any byte of a word.
  private func variants(_ value: [UInt8]) -> [[UInt8]] {
    (0...9).map { value + [UInt8(ascii: ",")] + Array(repeating: 0x20, count: $0) }
  }

  @Test(arguments: 0...17)
  func `Strings are read at each offset in a word, and refused if they are not UTF-8`(start: Int) {
    let ascii = Array("abcdefghijklmnopq".utf8)
    for (special, isValid) in Self.valid.map({ ($0, true) }) + Self.invalid.map({ ($0, false) }) {
      for rest in [0, 1, 7, 8, 9] {
        let content = ascii.prefix(start) + special + ascii.prefix(rest)
        for bytes in variants([0x22] + content + [0x22]) {
          let plain = outcome(bytes) { $0.readPlainString() }
          let long = outcome(bytes) { try $0.readString() }
          #expect(isValid == (long.value != nil))
          // Within the last eight bytes, even an ASCII string takes the general path.
          let isPlain = isValid && special.allSatisfy { $0 < 0x80 }
          #expect(isPlain || plain.value == nil)
          #expect(plain.value != nil || !isPlain || bytes.count < content.count + 9)
          #expect(plain.position == (plain.value == nil ? 0 : content.count + 2))
          #expect(plain.value.map { Array($0.utf8) == Array(content) } ?? true)
        }
      }
    }
  }

  @Test(arguments: 0...17)
  func `An unterminated string, or one with characters to escape, is not plain`(start: Int) {
    let ascii = Array("abcdefghijklmnopq".utf8).prefix(start)
    for end: [UInt8] in [[], [0x5C, 0x22], [0x0A, 0x22], [0x00, 0x22], [0xC3], [0xF0, 0x9F]] {
      let plain = outcome([0x22] + ascii + end) { $0.readPlainString() }
      #expect(plain.value == nil)
      #expect(plain.position == 0)
    }
  }

  @Test func `A string ends within the range of its scanner`() {
    Array("\"abc\"".utf8).withUnsafeBytes { bytes in
      var scanner = JSONScanner(bytes, in: 0..<4)
      #expect(scanner.readPlainString() == nil)
    }
  }

  @Test func `Integers of any length are read as on the general path`() {
    var random = SeededGenerator(seed: 7)
    for length in 1...22 {
      for _ in 0..<20 {
        let digits = (0..<length).map { _ in UInt8.random(in: 48...57, using: &random) }
        for bytes in variants((Bool.random(using: &random) ? [0x2D] : []) + digits) {
          let plain = outcome(bytes) { $0.readPlainInteger() }
          let long = outcome(bytes) { try $0.readInteger() }
          if let value = plain.value { #expect(value == long.value) }
          #expect(plain.value != nil || digits[0] == 48 || length > 18)
        }
      }
    }
  }

  @Test func `Numbers with a fraction are read as on the general path`() {
    var random = SeededGenerator(seed: 8)
    for _ in 0..<3_000 {
      let digits = { (_ count: Int) in
        (0..<count).map { _ in UInt8.random(in: 48...57, using: &random) }
      }
      let whole = digits(.random(in: 0...10))
      let fraction = digits(.random(in: 0...10))
      for bytes in variants(whole + [0x2E] + fraction).prefix(3) {
        let plain = outcome(bytes) { $0.readPlainDouble() }
        let long = outcome(bytes) { try $0.readDouble() }
        if let value = plain.value { #expect(value == long.value) }
      }
    }
  }

  @Test func `A word has a count of leading digits and their value`() {
    for count in 0...8 {
      for stop in UInt8.min...UInt8.max where !(48...57).contains(stop) {
        let bytes = Array("90817263".utf8.prefix(count)) + Array(repeating: stop, count: 8 - count)
        let word = bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }.littleEndian
        #expect(TextWord.digitCount(word) == count)
        let number = UInt64(String("90817263".prefix(count))) ?? 0
        #expect(TextWord.number(word, digits: count) == number)
      }
    }
  }

  @Test func `Dates with any changed byte are read as on the general path`() {
    var random = SeededGenerator(seed: 9)
    let some = Array("0123456789-:TZ.+ ".utf8)
    for text in ["2013-01-01T05:00:00Z", "2000-02-29T23:59:59Z", "0001-01-01T00:00:00Z"] {
      for index in 0..<20 {
        for byte in some + [.random(in: .min ... .max, using: &random)] {
          var bytes = Array(text.utf8)
          bytes[index] = byte
          bytes.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return }
            let long = DateText.date(bytes)?.timeIntervalSinceReferenceDate
            #expect(DateText.plainInterval(start) == long)
          }
        }
      }
    }
  }

  @Test(arguments: [
    "{}", "{\"a\":1}", "{\"a\":-0.5,\"b\":\"é\",\"c\":[1,2.5,-3],\"d\":true,\"e\":null}",
    "{\"a\":\"\\n\\\"\",\"b\":false}", "{ \"a\":1}", "{\"a\":1 }", "{\"a\": 1}", "{\"a\" :1}",
    "{\"a\":1e5}", "{\"a\":{\"b\":1}}", "{\"a\":[]}", "{\"a\":[[1]]}", "{\"a\":[1, 2]}",
    "{\"a\":12345678,\"b\":123456789012345678901234567890.12345678}",
    "{\"a\":01}", "{\"a\":-}", "{\"a\":1.}", "{\"a\":.5}", "{\"a\":tru}", "{\"a\":nul}", "{\"a\":}",
    "{\"a\"}", "{a:1}", "{\"a\":1,}", "{\"a\":1", "{\"a\":", "{\"a", "{", "{\"a\":[1",
    "{\"a\":[1,]}",
    "{\"a\":1}}", "{\"a\":\"\u{1}\"}", "{\"a\":1,\"b\"}", "{\"a\":1;\"b\":2}",
    "{\":1}\":2}", "{\"a:\":12345678}",
  ])
  func `Objects without blanks are skipped like objects with blanks`(text: String) throws {
    // An object with a blank after its bracket is not plain.
    let spaced = "{ " + text.dropFirst()
    let (short, long) = (objection(to: Array(text.utf8)), objection(to: Array(spaced.utf8)))
    #expect(short?.reason == long?.reason)
    #expect(short?.offset == long.map { $0.offset - 1 })
  }

  @Test func `Plain objects have the same depth limit as other objects`() {
    for depth in 60...66 {
      for inner in ["{\"a\":[1]}", "{\"a\":1}", "{ \"a\":[1]}"] {
        let text =
          String(repeating: "[", count: depth) + inner + String(repeating: "]", count: depth)
        let isTooDeep = depth + (inner.contains("[") ? 2 : 1) > JSONScanner.maximumDepth
        #expect((objection(to: Array(text.utf8))?.reason == .depth) == isTooDeep)
      }
    }
  }
}
