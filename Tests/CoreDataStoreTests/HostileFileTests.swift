import CoreDataFiles
import CoreDataTestSupport
import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@testable import CoreDataStore

@Suite("Damaged and hostile files of Core Data")
struct HostileFileTests {
  /// Opens a file and reads all that it has; errors of the store are what is expected.
  private func read(_ url: URL) throws {
    do {
      var configuration = CoreDataStoreConfiguration(url: url)
      configuration.unreadableValues = .omit
      let store = try CoreDataStore(configuration)
      for entity in store.schema.storeSchema.entities {
        let query = StoreQuery(entity: entity.name, includesSubentities: false, limit: 2_000)
        do {
          _ = try store.fetch(query)
        } catch is DataStoreError {
          continue
        }
      }
    } catch is DataStoreError {
      return
    }
  }

  @Test(arguments: ["ddg-Bookmarks_V1", "ddg-SyncMetadata_V3", "plaso-DataUsage"])
  func `flipped bytes anywhere are read as something or refused`(_ name: String) throws {
    let file = try SourceFile(copying: name)
    let bytes = try Data(contentsOf: file.url)
    var generator = SeededGenerator(seed: 29)
    for _ in 0..<150 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...20, using: &generator) {
        damaged[Int.random(in: bytes.indices, using: &generator)] = .random(
          in: 0...255,
          using: &generator
        )
      }
      try damaged.write(to: file.url)
      try read(file.url)
    }
  }

  @Test(arguments: ["ddg-Bookmarks_V1", "ddg-SyncMetadata_V3"])
  func `a damaged log is read as something or refused`(_ name: String) throws {
    let file = try SourceFile(copying: name)
    let log = URL(filePath: file.url.path + "-wal")
    let bytes = try Data(contentsOf: log)
    var generator = SeededGenerator(seed: 30)
    for _ in 0..<60 {
      var damaged = bytes.prefix(Int.random(in: 0...bytes.count, using: &generator))
      for _ in 0..<4 where !damaged.isEmpty {
        damaged[Int.random(in: damaged.indices, using: &generator)] = .random(
          in: 0...255,
          using: &generator
        )
      }
      try Data(damaged).write(to: log)
      try read(file.url)
    }
  }

  @Test func `files cut anywhere are read as something or refused`() throws {
    let file = try SourceFile(copying: "ddg-SyncMetadata_V3")
    let bytes = try Data(contentsOf: file.url)
    for count in stride(from: 0, to: bytes.count, by: bytes.count / 40) {
      try bytes.prefix(count).write(to: file.url)
      try read(file.url)
    }
  }

  @Test func `a model in which an entity inherits from itself is refused`() throws {
    var first = ManagedModel.Entity(name: "First")
    first.superentity = "First"
    let file = try SourceFile(ManagedModel(entities: [first]), "")
    let error = #expect(throws: DataStoreError.self) { try CoreDataStore(.init(url: file.url)) }
    #expect(error?.code == .storeDamaged)
    let cause = "\(error?.cause as Any)"
    #expect(cause.contains("inherits from itself"))
  }

  @Test func `a model that exceeds the limit when it is decompressed is refused`() throws {
    let file = try SourceFile.hierarchy()
    let large = deflated([UInt8](repeating: 0, count: ReadingLimits().size + 1))
    try file.run("UPDATE Z_MODELCACHE SET Z_CONTENT = \(SourceFile.literal(large))")
    let error = #expect(throws: DataStoreError.self) { try CoreDataStore(.init(url: file.url)) }
    #expect(error?.code == .storeDamaged)
    let cause = "\(error?.cause as Any)"
    #expect(cause.contains("exceeds"))
  }

  @Test func `keys at their ends are refused`() throws {
    let file = try SourceFile.hierarchy()
    try file.run("UPDATE ZBOOK SET Z_PK = 9223372036854775807 WHERE Z_PK = 4")
    let store = try CoreDataStore(.init(url: file.url))
    let error = #expect(throws: DataStoreError.self) { try store.fetch(StoreQuery(entity: "Book")) }
    #expect(error?.code == .storeDamaged)
    try file.run("UPDATE ZBOOK SET Z_PK = 4, Z_ENT = 77 WHERE Z_PK = 9223372036854775807")
    let again = try CoreDataStore(.init(url: file.url))
    // Rows of an entity that the model lacks belong to none.
    #expect(try again.count(StoreQuery(entity: "Book")) == 3)
  }
}
