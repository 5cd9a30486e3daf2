import CoreDataTestSupport
import Foundation
import StoreTestSupport
import Testing

@testable import CoreDataFiles

@Suite("Reading binary property lists")
struct PropertyListTests {
  static var samples: [Any] {
    [
      "text", "Größe ☃", "", 0, 255, 256, 65_536, Int.max, Int.min, -1, true, false, 1.5, -0.25,
      Data([0, 1, 2]), Data(repeating: 7, count: 300), Date(timeIntervalSinceReferenceDate: 12.5),
      Array(0..<300), ["a": 1, "b": 2], ["nested": ["list": [1, "two", 3.5] as [Any]]],
    ]
  }

  @Test(arguments: samples.indices)
  func `property lists of Foundation are read`(_ index: Int) throws {
    let value = Self.samples[index]
    let data = try PropertyListSerialization.data(
      fromPropertyList: value,
      format: .binary,
      options: 0
    )
    let read = try ArchivedValue(propertyList: [UInt8](data))
    #expect(read.isEqual(to: value), "\(read) for \(value)")
  }

  @Test func `archive references and large integers are read`() throws {
    var writer = PropertyListWriter()
    let uid = writer.add(.uid(70_000))
    let large = writer.add(.unsigned(.max))
    let float = writer.add(.float(0.5))
    let root = writer.add(.array([uid, large, float]))
    let list = try PropertyList(writer.bytes(root: root))
    #expect(list.objects[uid] == .uid(70_000))
    #expect(list.objects[large] == .unsigned(.max))
    #expect(list.objects[float] == .real(0.5))
  }

  @Test func `lists with a wrong header or no content are refused`() {
    #expect(throws: FormatError.self) { try PropertyList([]) }
    #expect(throws: FormatError.self) { try PropertyList([UInt8]("bplist00".utf8)) }
    #expect(throws: FormatError.self) {
      try PropertyList([UInt8](repeating: 0x20, count: 100))
    }
  }

  @Test func `a list that contains itself is refused when it is decoded`() throws {
    var writer = PropertyListWriter()
    let root = writer.add(.array([0]))
    let bytes = writer.bytes(root: root)
    #expect(try PropertyList(bytes).objects.count == 1)
    #expect(throws: FormatError.self) { try ArchivedValue(propertyList: bytes) }
  }

  @Test func `a list whose size doubles at each level is refused when it is decoded`() throws {
    var writer = PropertyListWriter()
    var last = writer.add(.string("x"))
    for _ in 0..<40 { last = writer.add(.array([last, last])) }
    let bytes = writer.bytes(root: last)
    #expect(throws: FormatError.self) { try ArchivedValue(propertyList: bytes) }
  }

  @Test func `overlapping objects are refused`() throws {
    // A hundred objects that all share the same hundred bytes.
    var writer = PropertyListWriter()
    for _ in 0..<100 { writer.add(.data([UInt8](repeating: 1, count: 100))) }
    var bytes = writer.bytes(root: 0)
    let table = bytes.count - 32 - 400
    for index in 0..<100 {
      bytes.replaceSubrange(table + 4 * index..<table + 4 * index + 4, with: [0, 0, 0, 8])
    }
    bytes.removeSubrange(8 + 103..<table)
    let end = bytes.count
    bytes.replaceSubrange(end - 8..<end, with: [0, 0, 0, 0, 0, 0, 0, 111])
    #expect(throws: FormatError.self) { try PropertyList(bytes) }
  }

  @Test func `sizes and offsets at their limits are read or refused`() throws {
    var writer = PropertyListWriter()
    writer.add(.data([UInt8](repeating: 1, count: 100)))
    let bytes = writer.bytes(root: 0)
    for position in bytes.count - 32..<bytes.count {
      for value in [0x00, 0x7F, 0x80, 0xFF] as [UInt8] {
        var damaged = bytes
        damaged[position] = value
        _ = try? PropertyList(damaged)
      }
    }
    var large = bytes
    large.replaceSubrange(8..<14, with: [0x4F, 0x13, 0x7F, 0xFF, 0xFF, 0xFF])
    #expect(throws: FormatError.self) { try PropertyList(large) }
  }

  @Test(arguments: ["ddg-Bookmarks_V1", "ddg-SyncMetadata_V3", "plaso-DataUsage"])
  func `a damaged list is read or refused without a crash`(_ name: String) throws {
    var generator = SeededGenerator(seed: 28)
    let bytes = try Inflater.inflate(TestFile.bytes("\(name).modelcache"))
    for _ in 0..<2_000 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        damaged[Int.random(in: bytes.indices, using: &generator)] = .random(
          in: 0...255,
          using: &generator
        )
      }
      _ = try? ManagedModel(archive: damaged)
      _ = try? ArchivedValue(propertyList: damaged)
    }
  }
}

extension ArchivedValue {
  /// Returns whether this is the stored form of Foundation's value.
  fileprivate func isEqual(to value: Any) -> Bool {
    switch (self, value) {
    case (.string(let own), let other as String): own == other
    case (.bool(let own), let other as Bool): own == other
    case (.integer(let own), let other as Int): own == Int64(other)
    case (.real(let own), let other as Double): own == other
    case (.data(let own), let other as Data): own == [UInt8](other)
    case (.date(let own), let other as Date): own == other.timeIntervalSinceReferenceDate
    case (.array(let own), let other as [Any]):
      own.count == other.count && zip(own, other).allSatisfy { $0.isEqual(to: $1) }
    case (.dictionary(let own), let other as [String: Any]):
      own.count == other.count
        && own.allSatisfy { entry in
          guard case .string(let key) = entry.key, let value = other[key] else { return false }
          return entry.value.isEqual(to: value)
        }
    default: false
    }
  }
}
