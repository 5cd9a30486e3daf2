import Foundation
import StoreProtocol
import Testing

@testable import JSONFileStore

@Suite("A tagged value")
struct TaggedValueTests {
  @Test(arguments: [
    (#"{"$uuid":"00010203-0405-0607-0809-0A0B0C0D0EFF","a":1}"#, #""$uuid" must be the only key"#),
    (#"{"a":1,"$double":"nan"}"#, #""$double" must be the only key"#),
    (#"{"$colour":1}"#, #""$colour" is not a kind of value"#),
    (#"{"a":1,"a":2}"#, #"the key "a" occurs twice"#),
    (#"{"$composite":[[]]}"#, "a name is expected"),
    (#"{"$composite":[["a"]]}"#, "a value is expected"),
    (#"{"$composite":[["a",1,2]]}"#, "the end of the pair is expected"),
    (#"{"$composite":{"a":1}}"#, "is expected"),
    (#"{"$identifier":[]}"#, "an entity is expected"),
    (#"{"$identifier":["Item"]}"#, "a key is expected"),
    (#"{"$identifier":["Item",1,"store",4]}"#, "the end of the list is expected"),
    (
      #"{"$identifiers":[{"$identifier":["Item",1],"b":1}]}"#,
      "the object must have exactly one key"
    ),
    (#"{"$identifiers":[{"b":1}]}"#, #"the object must have the key "$identifier""#),
    (#"{"$double":"0x"}"#, "is not a floating-point number"),
    (#"{"$decimal":"1e3"}"#, "not a decimal number"),
    (#"{"$data":"*"}"#, "the string is not base64"),
    (#"{"$uuid":"1"}"#, "the string is not a UUID"),
  ])
  func `is refused if it is malformed`(text: String, message: String) throws {
    let error = try #require(throws: JSONError.self) { try scan(text) { try $0.readTagged() } }
    #expect(error.sentence.contains(message), "\(error)")
    #expect(error.line == 1)
    #expect((1...text.utf8.count).contains(error.offset))
  }

  @Test(arguments: [
    (#"{"$double":"inf","x":1}"#, "the object must have exactly one key"),
    (#"{"$date":0}"#, #"the object must have the key "$double""#),
  ])
  func `for a special number is refused if it has another key`(text: String, message: String) throws
  {
    let error = try #require(throws: JSONError.self) { try scan(text) { try $0.readAnyDouble() } }
    #expect(error.sentence.contains(message), "\(error)")
  }

  @Test func `for external data is refused if its property is unique or indexed`() throws {
    let text = #"{"$file":"00000000000000000000000000000000","bytes":1,"crc32c":"00000000"}"#
    let error = try #require(throws: JSONError.self) { try scan(text) { try $0.readKeyData() } }
    #expect(error.sentence.contains("the property is now unique or indexed"), "\(error)")
    #expect(error.offset == 0)
  }
}
