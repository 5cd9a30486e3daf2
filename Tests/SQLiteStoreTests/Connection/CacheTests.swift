import CSQLite
import Foundation
import StoreProtocol
import Testing

@testable import SQLiteStore

@Suite("Cached pages of connections")
struct CacheTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let title = StoreValue.string(String(repeating: "x", count: 1_000))
    try open(16 << 20).insert((0..<2_000).map { _ in .new(SampleSchema.item, ["title": title]) })
  }

  @Test(arguments: [(0, 400_000), (1 << 20, 1_300_000), (16 << 20, 4_000_000)])
  func `are limited by the configuration`(size: Int, most: Int) throws {
    let store = try open(size)
    #expect(try store.fetch(StoreQuery(entity: "Item")).count == 2_000)
    let used = try store.database.read(cacheSize)
    #expect(used > most / 2 && used < most)
  }

  @Test func `are released by all but two idle readers`() throws {
    let store = try open(16 << 20)
    try readInside(store, depth: 4)
    let file = try #require(store.database.file)
    let readers = try (0..<4).map { _ in try store.database.takeReader(file) }
    let sizes = readers.map(cacheSize)
    #expect(sizes.filter { $0 > 2_000_000 }.count == 2)
    #expect(sizes.filter { $0 < 200_000 }.count == 2)
  }

  @Test func `cannot have a negative limit`() throws {
    #expect(throws: DataStoreError.invalidConfiguration) { try open(-1) }
  }

  private func open(_ cacheSize: Int) throws -> SQLiteStore {
    var configuration = SQLiteStoreConfiguration(
      schema: Schema(storeSchema: SampleSchema.store),
      url: URL(filePath: folder.path("a.db"))
    )
    configuration.cacheSize = cacheSize
    return try SQLiteStore(configuration, migrationPlan: nil)
  }

  /// Reads all rows, and again within the last row, so that each read has its own connection.
  private func readInside(_ store: SQLiteStore, depth: Int) throws {
    guard depth > 0 else { return }
    var count = 0
    try store.read(StoreQuery(entity: "Item")) { _ in
      count += 1
      if count == 2_000 { try readInside(store, depth: depth - 1) }
    }
    #expect(count == 2_000)
  }

  /// Returns the number of bytes of a connection's cached pages.
  private func cacheSize(_ connection: Connection) -> Int {
    var current: Int32 = 0
    var highest: Int32 = 0
    sqlite3_db_status(connection.handle, SQLITE_DBSTATUS_CACHE_USED, &current, &highest, 0)
    return Int(current)
  }
}
