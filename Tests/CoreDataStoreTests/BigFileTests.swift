import CoreDataFiles
import CoreDataTestSupport
import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

/// A manual measurement of copying a file with many rows.
///
/// ```
/// OPENSWIFTDATA_BIG_ROWS=300000 swift test -c release --filter BigFileTests
/// ```
///
/// It prints the time as a ratio to a copy of the same rows between two SQLite stores, and the
/// process's peak memory after each half of the work, which must not grow with the number of rows.
@Suite("A file of Core Data with many rows", .enabled(if: BigFile.rows != nil))
struct BigFileTests {
  /// Writes groups with a hundred items each, with the indexes that Core Data creates.
  private static func file(_ rows: Int) throws -> SourceFile {
    let group = SampleModel.entity(
      "Group",
      [SampleModel.attribute("name", .string)],
      [SampleModel.relationship("items", "Item", inverse: "group", isToMany: true)]
    )
    let item = SampleModel.entity(
      "Item",
      [
        SampleModel.attribute("name", .string), SampleModel.attribute("number", .integer64),
        SampleModel.attribute("at", .date) { $0.isOptional = true },
        SampleModel.attribute("ratio", .double),
      ],
      [SampleModel.relationship("group", "Group", inverse: "items") { $0.isOptional = true }]
    )
    return try SourceFile(
      ManagedModel(entities: [group, item]),
      """
      CREATE TABLE ZGROUP (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
      CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNUMBER INTEGER, ZGROUP INTEGER,
        ZAT TIMESTAMP, ZRATIO FLOAT, ZNAME VARCHAR);
      CREATE INDEX ZITEM_ZGROUP_INDEX ON ZITEM (ZGROUP);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows / 100))
        INSERT INTO ZGROUP SELECT i, 1, 1, 'group ' || i FROM n;
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
        INSERT INTO ZITEM SELECT i, 2, 1, i * 7, i % \(rows / 100) + 1, i * 1000.5, i / 3.0, 'item number ' || i FROM n;
      """
    )
  }

  @Test func `is copied completely in little memory`() throws {
    let rows = try #require(BigFile.rows)
    let file = try Self.file(rows)
    let first = "sqlite:\(file.folder.file("first.db").path)"
    let second = "sqlite:\(file.folder.file("second.db").path)"
    let configuration = CoreDataStoreConfiguration(url: file.url)
    let schema = try CoreDataStore(configuration).schema
    let clock = ContinuousClock()
    let before = Self.peak()
    print("at the beginning: \(before) MB")
    let own = try clock.measure {
      let source = try ModelContainer(for: schema, configurations: [configuration])
      try source.copy(toNewStore: first)
    }
    print("\(rows) rows out of a file of Core Data: \(own), at most \(Self.peak()) MB")
    let other = try clock.measure {
      try ModelContainer(for: schema, store: first).copy(toNewStore: second)
    }
    print("between two SQLite stores: \(other), at most \(Self.peak()) MB")
    print("ratio: \(own / other)")
    #expect(Self.peak() - before < 100)
    let source = try ModelContainer(for: schema, configurations: [configuration])
    let copies = try [first, second].map { try ModelContainer(for: schema, store: $0) }
    for container in [source] + copies {
      let store = try #require(container.stores.first as? any RecordStore)
      #expect(try store.count(StoreQuery(entity: "Group")) == rows / 100)
      #expect(try store.count(StoreQuery(entity: "Item")) == rows)
    }
  }

  /// The process's peak memory in megabytes.
  private static func peak() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") } ?? ""
    return (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) / 1_024
  }
}

private enum BigFile {
  /// The number of rows, or `nil` if the measurement is off.
  static var rows: Int? {
    ProcessInfo.processInfo.environment["OPENSWIFTDATA_BIG_ROWS"].flatMap { Int($0) }
  }
}
