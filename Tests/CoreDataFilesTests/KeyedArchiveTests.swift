import CoreDataTestSupport
import Foundation
import StoreTestSupport
import Testing

@testable import CoreDataFiles

@Suite("Decoding keyed archives")
struct KeyedArchiveTests {
  private func archived(_ object: Any) throws -> [UInt8] {
    [UInt8](try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: false))
  }

  @Test func `Foundation's collections of strings and numbers are decoded`() throws {
    let list = NSArray(array: ["Grapefruit", "Anise", NSNumber(value: 7), NSNumber(value: 1.5)])
    #expect(
      try ArchivedValue(propertyList: archived(list))
        == .array([.string("Grapefruit"), .string("Anise"), .integer(7), .real(1.5)])
    )
    let table = NSDictionary(dictionary: ["key": NSArray(array: ["value"])])
    #expect(
      try ArchivedValue(propertyList: archived(table))
        == .dictionary([.init(key: .string("key"), value: .array([.string("value")]))])
    )
  }

  @Test func `dates, data, UUIDs and URLs are decoded`() throws {
    let id = UUID()
    #expect(
      try ArchivedValue(propertyList: archived(NSDate(timeIntervalSinceReferenceDate: 99.5)))
        == .date(99.5)
    )
    #expect(
      try ArchivedValue(propertyList: archived(NSData(data: Data([1, 2])))) == .data([1, 2])
    )
    #expect(
      try ArchivedValue(propertyList: archived(NSUUID(uuidString: id.uuidString) as Any))
        == .uuid(id)
    )
    let url = try #require(NSURL(string: "https://example.org/a?b=c"))
    #expect(try ArchivedValue(propertyList: archived(url)) == .url("https://example.org/a?b=c"))
  }

  @Test func `an archived decimal keeps its digits and its sign`() throws {
    var writer = ArchiveWriter()
    let number = writer.add(
      className: "NSDecimalNumber",
      [
        // 0x0001_E240 is 123456.
        ("NS.mantissa", .value(.data([0x40, 0xE2, 0x01, 0x00]))),
        ("NS.length", .value(.integer(2))),
        ("NS.exponent", .value(.integer(-2))), ("NS.negative", .value(.bool(true))),
        ("NS.mantissa.bo", .value(.integer(1))),
      ]
    )
    #expect(
      try ArchivedValue(propertyList: writer.bytes(root: number))
        == .decimal(try #require(Decimal(string: "-1234.56")))
    )
  }

  @Test func `an object of an unknown class keeps its class name and its fields`() throws {
    var writer = ArchiveWriter()
    let name = writer.add(.string("Ada"))
    let person = writer.add(
      className: "Person",
      [("name", .reference(name)), ("age", .value(.integer(36))), ("next", .reference(0))]
    )
    #expect(
      try ArchivedValue(propertyList: writer.bytes(root: person))
        == .object(
          className: "Person",
          fields: ["name": .string("Ada"), "age": .integer(36), "next": .null]
        )
    )
  }

  @Test func `an object that contains itself is refused`() throws {
    var writer = ArchiveWriter()
    let first = writer.reserve()
    let second = writer.add(array: [first])
    writer.set(first, className: "NSArray", [("NS.objects", .references([second]))])
    let bytes = writer.bytes(root: first)
    let error = #expect(throws: FormatError.self) { try ArchivedValue(propertyList: bytes) }
    #expect(error?.reason.contains("contains itself") == true)
  }

  @Test func `an array whose size doubles at each level is refused`() throws {
    var writer = ArchiveWriter()
    var last = writer.add(.string("x"))
    for _ in 0..<40 { last = writer.add(array: [last, last]) }
    let bytes = writer.bytes(root: last)
    #expect(throws: FormatError.self) { try ArchivedValue(propertyList: bytes) }
  }

  @Test func `a reference outside the archive is refused`() throws {
    var writer = ArchiveWriter()
    let array = writer.add(array: [1_000_000])
    let bytes = writer.bytes(root: array)
    #expect(throws: FormatError.self) { try ArchivedValue(propertyList: bytes) }
  }

  @Test func `the first bytes distinguish archives, JSON and other transformable values`() throws {
    guard case .value(.array) = try TransformableContent(archived(NSArray(array: ["a"]))) else {
      Issue.record("an archive was not decoded")
      return
    }
    guard case .json = try TransformableContent([UInt8]("[1]".utf8)) else {
      Issue.record("JSON was not recognized")
      return
    }
    guard case .bytes = try TransformableContent([0x04, 0x0B, 0x73]) else {
      Issue.record("other bytes were not kept as bytes")
      return
    }
  }

  @Test func `a value with external storage is inline or names its file`() {
    let name = "0E1C83B0-1C4B-4E5C-9C8A-6F6C6D7B1A11"
    #expect(ExternalReference([1, 7, 8]) == .inline([1, 7, 8].dropFirst()))
    #expect(ExternalReference([2] + [UInt8](name.utf8) + [0]) == .file(name))
    #expect(
      ExternalReference(
        [2] + [UInt8]("../../../../../../../../../../../etc/x".utf8.prefix(36)) + [0]
      ) == .unknown
    )
    #expect(ExternalReference([2] + [UInt8](name.utf8) + [0, 0]) == .unknown)
    #expect(ExternalReference([3, 1]) == .unknown)
    #expect(ExternalReference([]) == .unknown)
    #expect(
      ExternalReference.folder(of: URL(filePath: "/a/Model.sqlite")).path
        == "/a/.Model_SUPPORT/_EXTERNAL_DATA"
    )
  }
}
