import CSQLite
import Foundation
import StoreProtocol
import StoreTestSupport
import StructuredText
import Testing

@testable import SQLiteStore

@Suite("A structured value as JSON")
struct JSONTextTests {
  private static let scope = PersistentIdentifier.Scope(
    storeIdentifier: "store",
    entityName: "Trip"
  )

  static let hardValues: [RoundTripTests.Hard] =
    ([
      .null, .bool(true), .bool(false), .integer(.min), .integer(-1), .integer(.max),
      .unsigned(.max), .double(0), .double(-0.0), .double(1), .double(0.1), .double(.nan),
      .double(.infinity), .double(-.infinity), .double(.leastNonzeroMagnitude),
      .double(.greatestFiniteMagnitude), .double(1e16), .decimal(Decimal(string: "1.10") ?? 0),
      .decimal(.nan), .decimal(.greatestFiniteMagnitude), .decimal(.leastNonzeroMagnitude),
      .string(""), .string("\"\\/\n\r\t\0\u{1F}\u{7F}\u{2028}"), .string("e\u{301} é 👩‍👩‍👧 \u{212A}"),
      .date(Date(timeIntervalSinceReferenceDate: 0.1)), .date(.distantFuture),
      .date(Date(timeIntervalSinceReferenceDate: .nan)), .data(Data()), .data(Data([0, 255, 1])),
      .uuid(UUID()), .array([]), .array([.null, .array([.integer(1)])]), .composite([]),
      .composite([.init("a", .null), .init("", .bool(true)), .init("\"", .double(2))]),
      .array((UInt8(0)...0x20).map { .string(String(UnicodeScalar($0))) }),
      .composite([.init("$date", .double(1))]),
      .composite([.init("$object", .composite([.init("$object", .null)]))]),
      .composite([.init("a", .null), .init("$b", .integer(1))]),
      .identifier(PersistentIdentifier(scope: scope, key: .integer(7))),
      .identifiers([
        PersistentIdentifier(scope: scope, key: .text("x\"y")),
        PersistentIdentifier(scope: scope, key: .integer(1)),
      ]),
    ] as [StoreValue]).map { RoundTripTests.Hard(property: "codable", value: $0) }

  @Test(arguments: hardValues)
  func `is decoded exactly`(_ hard: RoundTripTests.Hard) throws {
    // The expectation does not print the values: Foundation traps when it prints some dates.
    let isEqual = try JSONText.decoded(JSONText.encoded(hard.value)) == hard.value
    #expect(isEqual)
  }

  @Test(arguments: hardValues)
  func `is valid JSON to SQLite`(_ hard: RoundTripTests.Hard) throws {
    let text = try JSONText.encoded(hard.value)
    let connection = try Connection(ConnectionOptions(location: .memory))
    let isValid = try connection.withStatement("SELECT json_valid(?)") { statement in
      try statement.bind(text, at: 1)
      _ = try statement.step()
      return statement.integer(at: 0)
    }
    #expect(isValid == 1)
  }

  @Test func `is written as plain JSON`() throws {
    let value = StoreValue.composite([
      .init("city", .string("Ulm")), .init("zip", .integer(89073)),
      .init("tags", .array([.string("a"), .double(1)])),
    ])
    #expect(try JSONText.encoded(value) == #"{"city":"Ulm","zip":89073,"tags":["a",1.0]}"#)
  }

  @Test(arguments: [
    "nulx", "trux", "[falsx]",
    "", "{", "[1,]", "nul", "\"a", "\"\\x\"", "1e999", "--1", "1 2", "{\"a\"}", "\"\\ud800\"",
    "{\"$double\":\"zz\"}", "{\"$what\":1}", "{\"$decimal\":\"12abc\"}", "\u{FEFF}1",
    String(repeating: "[", count: 100_000), "{\"$double\":\"7ff8000000000000\",\"a\":1}",
    "{\"$a\":1,\"b\":2}", "\"a\nb\"", "\"\u{1}\"", "\"\\ud800\\u0041\"", "\"\\udc00\\udc00\"",
    "\"\\ud800\\ud800\"", "\"\\u12", "\"\\u12g4\"", "\"\\",
    "\"\\u+041\"", "\"\\u-000\"", "\"\\ud83d \\ude00\"",
  ])
  func `is refused if it is malformed`(_ text: String) {
    #expect(throws: JSONText.Malformed.self) { try JSONText.decoded(text) }
  }

  @Test func `is decoded with escapes that other programs write`() throws {
    let text = "[\"\\u00e9\\ud83d\\ude00\\/\" , 1E2]"
    #expect(try JSONText.decoded(text) == .array([.string("é😀/"), .double(100)]))
  }

  @Test func `cannot contain an object that was never saved`() {
    let identifier = PersistentIdentifier(scope: Self.scope, key: .temporary(1))
    #expect(throws: JSONText.NotStorable.self) { try JSONText.encoded(.identifier(identifier)) }
  }

  @Test func `is decoded or refused at any depth on a thread with a small stack`() throws {
    let deepest = JSONText.maximumDepth
    let (lists, objects) = ("[", "{\"a\":")
    let escaped = "{\"$object\":{\"$a\":"
    for (begin, end) in [(lists, "]"), (objects, "}"), (escaped, "}}")] {
      for count in [deepest, deepest + 2, 1_000_000] {
        let text =
          String(repeating: begin, count: count) + "1" + String(repeating: end, count: count)
        let isRead = try SmallStack.run { (try? JSONText.decoded(text)) != nil }
        #expect(isRead == (count == deepest), "\(count) of \(begin)")
      }
    }
  }

  @Test func `is encoded only up to the depth that can be decoded`() throws {
    var value = StoreValue.null
    for _ in 0..<JSONText.maximumDepth { value = .array([value]) }
    #expect(try JSONText.decoded(JSONText.encoded(value)) == value)
    let error = try #require(throws: JSONText.NotStorable.self) {
      try JSONText.encoded(.composite([.init("a", value)]))
    }
    #expect(error.reason == "it is nested too deeply")
  }
}
