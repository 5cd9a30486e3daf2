import Foundation
import Testing

@testable import JSONFileStore

/// Runs a scanner over a string.
func scan<Value>(
  _ text: String,
  _ body: (inout JSONScanner) throws -> Value
) throws -> Value {
  try scan(bytes: Array(text.utf8), body)
}

func scan<Value>(
  bytes: [UInt8],
  _ body: (inout JSONScanner) throws -> Value
) throws -> Value {
  try bytes.withUnsafeBytes { bytes in
    var scanner = JSONScanner(bytes)
    let value = try body(&scanner)
    try scanner.finish()
    return value
  }
}

/// The error of skipping a whole value, or `nil` if it is valid JSON.
func objection(to bytes: [UInt8]) -> JSONError? {
  do {
    try scan(bytes: bytes) { _ = try $0.skipValue() }
    return nil
  } catch {
    return error as? JSONError
  }
}

@Suite struct JSONScannerTests {
  @Test(arguments: [
    "null", "true", "false", "0", "-0", "1.5e3", "1E+2", "\"\"", "[]", "{}", " [ 1 , 2 ] ",
    "{\"a\":{\"b\":[{}]}}", "[[],[[]]]", "\"\\u00e9\\ud83d\\ude00\"", "\"é😀\"", "\n\t\r 1",
    "[1,{\"a\":[2,{\"b\":null}]},\"x\"]", "-1.25e-10",
  ])
  func `valid JSON is skipped completely`(text: String) {
    #expect(objection(to: Array(text.utf8)) == nil)
  }

  @Test(arguments: [
    "", " ", "nul", "nulll", "tru", "True", "[1,]", "[,1]", "{\"a\":1,}", "{,}", "{\"a\"}",
    "{\"a\":}", "{a:1}", "[1 2]", "[1", "{\"a\":1", "]", "}", "[}", "{]", "[1}", "1 2", "01",
    "-", "+1", "1.", ".5", "1e", "1e+", "0x10", "NaN", "Infinity", "-Infinity", "--1", "-a",
    "'a'", "\"a", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\ud800\"", "\"\\udc00\"",
    "\"\\ud800\\u0041\"", "\"\\ud800x\"", "\"a\nb\"", "\"\u{1}\"", "// x\n1", "1/**/", "\u{FEFF}1",
    "[1]]", "\u{C}1", "\u{A0}1",
  ])
  func `invalid JSON is refused`(text: String) {
    #expect(objection(to: Array(text.utf8)) != nil)
  }

  @Test func `a number with a leading zero is refused as such`() {
    let error = #expect(throws: JSONError.self) { try scan("01") { try $0.readNumber() } }
    #expect(error?.reason == .invalidNumber)
  }

  @Test(arguments: [
    [0xFF], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
    [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80],
    [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xC3, 0x28], [0xE2, 0x28, 0xA1], [0x00],
  ])
  func `bytes that are not UTF-8 are refused`(bytes: [UInt8]) {
    let quote = [UInt8(ascii: "\"")]
    #expect(objection(to: quote + bytes + quote) != nil)
    #expect(objection(to: quote + Array("12345678".utf8) + bytes + quote) != nil)
  }

  @Test func `every scalar is read back, plain and escaped`() throws {
    for range in [0x20...0xD7FF, 0xE000...0x10FFFF] {
      for value in stride(from: range.lowerBound, through: range.upperBound, by: 37) {
        guard let scalar = UnicodeScalar(value) else { continue }
        let string = "ab\(scalar)c"
        let escaped = string.utf16.map { String(format: "\\u%04x", $0) }.joined()
        let result = try scan("\"\(escaped)\"") { try $0.readString() }
        #expect(result == string)
        var printer = JSONPrinter()
        printer.append(string)
        let back = try scan(bytes: printer.bytes) { try $0.readString() }
        #expect(Array(back.utf8) == Array(string.utf8))
      }
    }
  }

  @Test func `short escapes are read as their characters`() throws {
    let text = #""\"\\\/\b\f\n\r\t\u0000x""#
    let result = try scan(text) { try $0.readString() }
    #expect(result == "\"\\/\u{8}\u{C}\n\r\t\0x")
  }

  @Test func `values may be nested at most 64 levels deep`() {
    let deepest = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
    #expect(objection(to: Array(deepest.utf8)) == nil)
    #expect(objection(to: Array("[\(deepest)]".utf8))?.reason == .depth)
    let objects = String(repeating: "{\"a\":", count: 65)
    #expect(objection(to: Array(objects.utf8))?.reason == .depth)
  }

  @Test func `objects and arrays are read element by element`() throws {
    let result = try scan(" { \"a\" : [ 1 , 2 ] , \"b\" : [ ] } ") { scanner in
      var result: [String: [Int64]] = [:]
      var isFirst = true
      try scanner.beginObject()
      while let key = try scanner.nextMember(&isFirst) {
        var list: [Int64] = []
        var isFirst = true
        try scanner.beginArray()
        while try scanner.nextElement(&isFirst) { list.append(try scanner.readInteger()) }
        result[try scanner.string(of: key)] = list
      }
      return result
    }
    #expect(result == ["a": [1, 2], "b": []])
  }

  @Test(arguments: ["[1,]", "[,]", "[1 1]", "[1", "[1,", "{}", "1"])
  func `reading an array element by element refuses malformed arrays`(text: String) {
    #expect(throws: JSONError.self) {
      try scan(text) { scanner in
        var isFirst = true
        try scanner.beginArray()
        while try scanner.nextElement(&isFirst) { _ = try scanner.readInteger() }
      }
    }
  }

  @Test func `an error has the offset, line and column`() throws {
    let error = try #require(objection(to: Array("{\n  \"é\": x\n}".utf8)))
    #expect(error.offset == 10)
    #expect(error.line == 2)
    #expect(error.column == 8)
    #expect(error.description == "line 2, column 8: a value is expected, not \"x\"")
  }

  @Test func `skipping a value returns its byte range`() throws {
    let text = Array(" [1, {\"a\": \"]\"}] ".utf8)
    let result = try scan(bytes: text) { try $0.skipValue() }
    #expect(result == 1..<16)
  }

  @Test func `duplicate keys are found`() {
    var keys = JSONKeys()
    let first = (0..<100).map { keys.insert("k\($0)") }
    let second = (0..<100).map { keys.insert("k\($0)") }
    #expect(first == Array(repeating: true, count: 100))
    #expect(second == Array(repeating: false, count: 100))
  }
}
