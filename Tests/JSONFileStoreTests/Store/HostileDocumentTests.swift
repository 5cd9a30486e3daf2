import Foundation
import JSONFileStore
import StoreProtocol
import Testing

@Suite("A hostile JSON document")
struct HostileDocumentTests {
  private let fixture: StoreFixture
  private let whole: Data

  init() throws {
    fixture = try StoreFixture()
    let store = try fixture.open()
    try store.insert(newRow(["name": .string("one"), "number": .integer(1)]))
    try store.close()
    whole = try Data(contentsOf: fixture.url)
  }

  /// Opens the document, reads everything, saves and closes.
  private func use() throws {
    let store = try fixture.open()
    _ = try store.content()
    try store.insert(newRow(["name": .string("two")]))
    try store.close()
  }

  private func expectRefusal(
    of bytes: Data,
    _ codes: [DataStoreError] = [.storeDamaged, .storeNotTrusted]
  ) throws {
    try bytes.write(to: fixture.url)
    let error = #expect(throws: DataStoreError.self) { try use() }
    #expect(error.map { codes.contains($0) } == true, "\(String(describing: error))")
    #expect(error?.file == fixture.url.path)
    #expect(try Data(contentsOf: fixture.url) == bytes)
  }

  /// Inconsistent schemas; `SchemaCheckTests` has more of them.
  @Test(arguments: [
    #"{"name":"Item","superentity":"Item","properties":[]}"#,
    #"{"name":"Item","superentity":"B","root":"Item","properties":[]},"#
      + #"{"name":"B","superentity":"Item","root":"Item","properties":[]}"#,
    #"{"name":"Item","properties":[]},{"name":"Item","properties":[]}"#,
    #"{"name":"Item","properties":[{"name":"a","originalName":"a","isOptional":true,"#
      + #""isUnique":false,"options":[],"kind":{"toMany":{"_0":{"destination":"Item","#
      + #""inverse":"b","inverseIsToOne":true,"deleteRule":"nullify"}}}},"#
      + #"{"name":"b","originalName":"b","isOptional":true,"isUnique":false,"options":[],"#
      + #""kind":{"attribute":{"_0":"string"}}}]}"#,
  ])
  func `is refused if its schema is inconsistent`(entities: String) throws {
    let text = String(decoding: whole, as: UTF8.self)
    let start = try #require(text.range(of: #""schema": {"entities":["#)).upperBound
    let end = try #require(text.range(of: #"],"version":"1.0.0"}"#)).lowerBound
    let document = text[..<start] + entities + text[end...]
    try expectRefusal(of: Data(document.utf8), [.storeDamaged])
    let error = #expect(throws: DataStoreError.self) { try fixture.open(schema: nil) }
    #expect(error == .storeDamaged && error?.offset != nil)
  }

  @Test(arguments: [true, false])
  func `has an unknown schema if that is missing or unreadable`(isMissing: Bool) throws {
    let text = String(decoding: whole, as: UTF8.self)
    let start = try #require(text.range(of: #""schema": {"entities":["#))
    let end = try #require(text.range(of: #"],"version":"1.0.0"},"#))
    let schema = isMissing ? "" : #""schema": {},"#
    let document = text[..<start.lowerBound] + schema + text[end.upperBound...]
    try Data(document.utf8).write(to: fixture.url)
    do {
      _ = try fixture.open()
      Issue.record("opened")
    } catch SwiftDataError.unknownDataStoreSchema {
      #expect(throws: DataStoreError.storeDamaged) { try fixture.open() }
    }
  }

  private func replacing(_ old: String, by new: [UInt8]) throws -> Data {
    let range = try #require(whole.range(of: Data(old.utf8)))
    return whole[..<range.lowerBound] + Data(new) + whole[range.upperBound...]
  }

  @Test(arguments: [
    "1e400", "-1e400", "NaN", "Infinity", "01", "0x1", "1.", ".5", "+1", "1e", "1/**/", "'1'",
    "9223372036854775808", "-9223372036854775809", "1.5", "1e0", "[1]", "{}", "true", "",
    "1,\"number\":2", "1,", "1 2",
  ])
  func `is refused if a number is not valid JSON or not an integer`(text: String) throws {
    let bytes = try replacing("\"number\":1", by: Array("\"number\":\(text)".utf8))
    try expectRefusal(of: bytes, [.storeDamaged])
  }

  @Test(
    arguments: [
      [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82], [0x00],
      [0x0A], [0x1F], Array("\\ud800".utf8), Array("\\udc00\\ud800".utf8), Array("\\x".utf8),
      Array("\\udc00\\udc00".utf8),
      Array("\\u12".utf8), [0x80],
    ] as [[UInt8]]
  )
  func `is refused if a string is not valid Unicode`(bytes: [UInt8]) throws {
    try expectRefusal(of: replacing("one", by: bytes), [.storeDamaged])
  }

  @Test func `is refused in another encoding or with surrounding bytes`() throws {
    let text = try #require(String(data: whole, encoding: .utf8))
    try expectRefusal(of: Data([0xEF, 0xBB, 0xBF]) + whole)
    try expectRefusal(of: try #require(text.data(using: .utf16)))
    try expectRefusal(of: try #require(text.data(using: .utf16LittleEndian)))
    try expectRefusal(of: whole + Data("{}".utf8))
    try expectRefusal(of: whole + Data([0]))
    try expectRefusal(of: Data(count: whole.count))
    try expectRefusal(of: Data())
  }

  @Test(arguments: [
    ("{\"$id\":1", "\n<<<<<<< HEAD\n{\"$id\":1", "conflict marker"),
    ("{\"$id\":1", "\n=======\n{\"$id\":1", "conflict marker"),
    ("\"nextKey\"", "\n||||||| base\n\"nextKey\"", "conflict marker"),
    ("\"number\":1", "\"number\":1.0", "an integer is written without a fraction"),
    ("\"number\":1", "\"number\":<<<<<<< x", "not \"<\""),
  ])
  func `is refused with a sentence about what an editor or git put there`(
    old: String,
    new: String,
    sentence: String
  ) throws {
    try expectRefusal(of: replacing(old, by: Array(new.utf8)), [.storeDamaged])
    let error = #expect(throws: DataStoreError.self) { try use() }
    #expect(error?.message.contains(sentence) == true, "\(error?.message ?? "")")
  }

  @Test func `is refused with a sentence about a byte order mark or a marker at its end`() throws {
    for (bytes, sentence) in [
      (Data([0xEF, 0xBB, 0xBF]) + whole, "byte order mark; save it as UTF-8 without one"),
      (whole + Data("\n>>>>>>> theirs\n".utf8), "conflict marker"),
    ] {
      try expectRefusal(of: bytes, [.storeDamaged])
      let error = #expect(throws: DataStoreError.self) { try fixture.open() }
      #expect(error?.message.contains(sentence) == true, "\(error?.message ?? "")")
    }
    try expectRefusal(of: Data([0xEF, 0xBB, 0xBF]) + Data("{}".utf8), [.storeNotTrusted])
  }

  @Test(arguments: ["[", "{\"a\":", "[[],", "\"", "{\"$id\":"])
  func `is refused if it has a million opening brackets`(text: String) throws {
    let many = Data(String(repeating: text, count: 1 << 20).utf8)
    try expectRefusal(of: many)
    try expectRefusal(of: try replacing("\"one\"", by: Array(many)), [.storeDamaged])
  }

  @Test(arguments: [
    ("\"nextKey\": 2", "\"nextKey\": 9223372036854775807"), ("\"nextKey\": 2", "\"nextKey\": -1"),
    ("\"nextKey\": 2", "\"nextKey\": 4611686018427387905"),
    ("\"generation\": 2", "\"generation\": 9223372036854775807"),
    ("\"generation\": 2", "\"generation\": -1"),
    ("\"generation\": 2", "\"generation\": 18446744073709551615"),
  ])
  func `is refused if the next save would overflow a counter`(
    old: String,
    new: String
  ) throws {
    try expectRefusal(of: try replacing(old, by: Array(new.utf8)), [.storeDamaged])
  }
}
