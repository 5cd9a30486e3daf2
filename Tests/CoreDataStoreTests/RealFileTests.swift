import CoreDataFiles
import Foundation
import OpenSwiftData
import Testing

@testable import CoreDataStore

@Suite("Real files of Core Data")
struct RealFileTests {
  private func store(_ file: SourceFile) throws -> CoreDataStore {
    try CoreDataStore(CoreDataStoreConfiguration(url: file.url))
  }

  private func titles(_ identifiers: StoreValue?, in store: CoreDataStore) throws -> [String] {
    guard case .identifiers(let list)? = identifiers else { return [] }
    let rows = try store.fetch(.rows(list, of: "BookmarkEntity"))
    let byIdentifier = Dictionary(uniqueKeysWithValues: rows.map { ($0.persistentIdentifier, $0) })
    return list.compactMap { identifier in
      guard case .string(let title)? = byIdentifier[identifier]?["title"] else { return nil }
      return title
    }
  }

  @Test func `rows in the write-ahead log are read`() throws {
    let file = try SourceFile(copying: "ddg-Bookmarks_V1")
    let rows = try store(file).fetch(StoreQuery(entity: "BookmarkEntity"))
    #expect(rows.count == 10)
    #expect(rows.map { $0["title"] }.prefix(3) == [.string("33"), .string("2"), .string("32")])
    let without = try SourceFile(copying: "ddg-Bookmarks_V1", withLog: false)
    #expect(try store(without).fetch(StoreQuery(entity: "BookmarkEntity")).isEmpty)
  }

  @Test func `ordered relationships have the order of their positions`() throws {
    let store = try store(SourceFile(copying: "ddg-Bookmarks_V1"))
    let rows = try store.fetch(StoreQuery(entity: "BookmarkEntity"))
    let folders = Dictionary(
      rows.map { ($0["title"] ?? .null, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    // By Z_FOK_FAVORITEFOLDER and Z_FOK_PARENT, as sqlite3 shows them.
    let favorites = folders[.string("favorites_root")]?["favorites"]
    #expect(try titles(favorites, in: store) == ["5", "4", "33", "32", "2"])
    let children = folders[.string("bookmarks_root")]?["children"]
    #expect(try titles(children, in: store) == ["1", "2", "3", "4", "5"])
    let folder = try #require(folders[.string("3")])
    #expect(try titles(folder["children"], in: store) == ["31", "32", "33"])
    let members = try store.members(
      of: "children",
      in: "BookmarkEntity",
      owners: [folder.persistentIdentifier]
    )
    #expect(.identifiers(members[folder.persistentIdentifier] ?? []) == folder["children"])
  }

  @Test(arguments: ["ddg-Bookmarks_V1", "ddg-SyncMetadata_V3", "plaso-DataUsage"])
  func `every attribute has the value of its column`(_ name: String) throws {
    let file = try SourceFile(copying: name)
    let store = try store(file)
    let copy = try SourceCopy(of: file.url, isInPlace: false)
    let reader = try SourceReader(copy.file, isSource: false, path: file.url.path)
    var compared = 0
    for entity in store.schema.storeSchema.entities {
      let rows = try store.fetch(StoreQuery(entity: entity.name))
      for property in entity.properties where property.attributeType != nil {
        let sql =
          "SELECT Z\(property.name.uppercased()) FROM Z\(entity.name.uppercased()) ORDER BY Z_PK"
        let cells = try reader.rows(sql) { $0.cell(0) }
        #expect(cells.count == rows.count)
        for (row, cell) in zip(rows, cells) {
          #expect(
            Self.isEqual(row[property.name] ?? .null, cell),
            "\(entity.name).\(property.name)"
          )
          compared += 1
        }
      }
    }
    #expect(compared >= 8)
  }

  private static func isEqual(_ value: StoreValue, _ cell: SourceCell) -> Bool {
    switch (value, cell) {
    case (.null, .null): true
    case (.bool(let own), .integer(let other)): own == (other == 1)
    case (.integer(let own), .integer(let other)): own == other
    case (.double(let own), .real(let other)): own == other
    case (.double(let own), .integer(let other)): own == Double(other)
    case (.date(let own), .real(let other)): own.timeIntervalSinceReferenceDate == other
    case (.date(let own), .integer(let other)): own.timeIntervalSinceReferenceDate == Double(other)
    case (.string(let own), .text(let other)): [UInt8](own.utf8) == other
    case (.uuid(let own), .blob(let other)): UUID(bytes: other) == own
    default: false
    }
  }

  @Test func `every reference is to a row of its destination`() throws {
    let store = try store(SourceFile(copying: "plaso-DataUsage"))
    let usages = try store.fetch(StoreQuery(entity: "LiveUsage"))
    let processes = try store.identifiers(StoreQuery(entity: "Process"))
    #expect(usages.count == 887 && processes.count == 371)
    let existing = Set(processes)
    #expect(
      usages.allSatisfy { usage in
        if case .identifier(let process)? = usage["hasProcess"] {
          existing.contains(process)
        } else {
          false
        }
      }
    )
    let members = try store.members(of: "hasLiveUsage", in: "Process", owners: processes)
    #expect(members.values.map(\.count).reduce(0, +) == 887)
  }

  @Test(arguments: ["ddg-Bookmarks_V1", "ddg-SyncMetadata_V3", "plaso-DataUsage"])
  func `the source and its folder are unchanged`(_ name: String) throws {
    let file = try SourceFile(copying: name)
    let before = try file.bytes()
    do {
      let store = try store(file)
      for entity in store.schema.storeSchema.entities {
        _ = try store.fetch(StoreQuery(entity: entity.name))
      }
      #expect(throws: DataStoreError.storeReadOnly) { try store.erase() }
      #expect(throws: DataStoreError.storeReadOnly) { try store.apply(StoreChanges()) }
    }
    #expect(try file.bytes() == before)
  }

  @Test(arguments: ["ddg-Bookmarks_V1", "plaso-DataUsage"], ["sqlite", "json", "memory"])
  func `a copy has the same objects`(_ name: String, _ scheme: String) throws {
    let file = try SourceFile(copying: name)
    let store = try store(file)
    let source = try ModelContainer(
      for: store.schema,
      configurations: [CoreDataStoreConfiguration(schema: store.schema, url: file.url)]
    )
    let target =
      scheme == "memory" ? "memory:" : "\(scheme):\(file.folder.file("copy.\(scheme)").path)"
    // The copy compares source and target, and throws if they differ.
    let counts = try source.copy(to: ModelContainer(for: store.schema, store: target))
    #expect(counts.counts.values.reduce(0, +) == (name == "plaso-DataUsage" ? 1258 : 10))
  }
}
