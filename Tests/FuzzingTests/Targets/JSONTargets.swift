import Foundation

@testable import JSONFileStore

/// JSON as the JSON store reads it.
enum JSONTargets {
  static let seeds = [
    #"{"a":[1,-2.5e10,true,null,"x\u00e9\ud83d\ude00y",{"b":{}}],"c":"é😀 text"}"#,
    #"[[[[0.1,12345678901234567890,1e-300]]],"\"\\\/\b\f\n\r\t",[],{},false]"#,
  ].map { Array($0.utf8) }

  /// What is read value by value is passed over alike, and is JSON to others too.
  static func scan(_ bytes: [UInt8]) throws {
    let isRead = accepts(bytes) { (scanner) throws in try readAll(&scanner) }
    let isSkipped = accepts(bytes) { (scanner) throws in _ = try scanner.skipValue() }
    guard isRead else { return }
    try FuzzFailure.unless(isSkipped, "JSON is read and not passed over")
    let object = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
    try FuzzFailure.unless(object != nil, "JSON is read that Foundation refuses")
  }

  private static func accepts(
    _ bytes: [UInt8],
    _ body: (inout JSONScanner) throws -> Void
  ) -> Bool {
    bytes.withUnsafeBytes { buffer in
      var scanner = JSONScanner(buffer)
      do {
        try body(&scanner)
        try scanner.finish()
        return true
      } catch {
        return false
      }
    }
  }

  private static func readAll(_ scanner: inout JSONScanner) throws {
    var isFirst = true
    switch try scanner.nextToken() {
    case UInt8(ascii: "{"):
      try scanner.beginObject()
      while let key = try scanner.nextMember(&isFirst) {
        _ = try scanner.string(of: key)
        try readAll(&scanner)
      }
    case UInt8(ascii: "["):
      try scanner.beginArray()
      while try scanner.nextElement(&isFirst) { try readAll(&scanner) }
    case UInt8(ascii: "\""): _ = try scanner.readString()
    case UInt8(ascii: "t"), UInt8(ascii: "f"): _ = try scanner.readBool()
    case UInt8(ascii: "n"): _ = try scanner.readNull()
    default: _ = try scanner.readNumber()
    }
  }
}
