import Foundation
import StoreTestSupport
import Testing

@testable import JSONFileStore

@Suite struct JSONFuzzTests {
  private static let seeds = [
    #"{"a":[1,-2.5e10,true,null,"x\u00e9\ud83d\ude00y",{"b":{}}],"c":"é😀 plain text of some length"}"#,
    #"[[[[0.1,12345678901234567890,1e-300]]],"\"\\\/\b\f\n\r\t",[],{},false]"#,
    #"{"date":"2013-01-01T05:00:00.123456789Z","n":18446744073709551615,"s":""}"#,
  ]

  /// Reads all values of a document, like a store.
  private func readAll(_ scanner: inout JSONScanner) throws {
    switch try scanner.nextToken() {
    case UInt8(ascii: "{"):
      var isFirst = true
      try scanner.beginObject()
      while let key = try scanner.nextMember(&isFirst) {
        _ = try scanner.string(of: key)
        try readAll(&scanner)
      }
    case UInt8(ascii: "["):
      var isFirst = true
      try scanner.beginArray()
      while try scanner.nextElement(&isFirst) { try readAll(&scanner) }
    case UInt8(ascii: "\""): _ = try scanner.readString()
    case UInt8(ascii: "t"), UInt8(ascii: "f"): _ = try scanner.readBool()
    case UInt8(ascii: "n"): _ = try scanner.readNull()
    default: _ = try scanner.readNumber()
    }
  }

  private func isJSON(_ bytes: [UInt8]) -> Bool {
    (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
  }

  private func mutated(_ seed: String, _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = Array(seed.utf8)
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      let index = Int.random(in: 0...bytes.count, using: &generator)
      let structural = Array(#"{}[],:"\0e.-ut"#.utf8) + [0x80, 0xC3, 0xED, 0xF0, 0xFF, 0, 0x20]
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: bytes.removeSubrange(index...)
      case 1: bytes.insert(structural.randomElement(using: &generator) ?? 0, at: index)
      case 2 where index < bytes.count:
        bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      default:
        if index < bytes.count { bytes.remove(at: index) }
      }
    }
    return bytes
  }

  @Test(arguments: [UInt64(1), 2, 3, 4])
  func `damaged JSON is accepted only if Foundation accepts it`(
    seed: UInt64
  ) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<5000 {
      let text = try #require(Self.seeds.randomElement(using: &generator))
      let bytes = mutated(text, &generator)
      let skipped = objection(to: bytes) == nil
      let wasRead = (try? scan(bytes: bytes) { try readAll(&$0) }) != nil
      // A valid number may fit no type, so a skipped value may be refused when it is read.
      if wasRead { #expect(skipped, "\(bytes)") }
      if wasRead { #expect(isJSON(bytes), "\(bytes)") }
    }
  }

  @Test func `JSON truncated at any byte is refused`() {
    for seed in Self.seeds {
      let bytes = Array(seed.utf8)
      for count in 0..<bytes.count { #expect(objection(to: Array(bytes[..<count])) != nil) }
    }
  }
}
