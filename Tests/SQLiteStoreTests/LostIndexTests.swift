import Foundation
import SQLiteStore
import SQLiteTestSupport
import StoreProtocol
import Testing

@Suite("A commit that fails while the index of the log is unreadable")
struct LostIndexTests {
  @Test func `has an unknown outcome, and the store reports it`() throws {
    let folder = try TemporaryFolder()
    let files = try FaultyFiles()
    var configuration = SQLiteStoreConfiguration(
      schema: Schema(storeSchema: SampleSchema.store),
      url: URL(filePath: folder.path("a.db"))
    )
    configuration.busyTimeout = 0.5
    configuration.fileSystem = files.name
    do {
      let store = try SQLiteStore(configuration, migrationPlan: nil)
      try store.insert([.new(SampleSchema.item, ["title": .string("kept")])])
      let error = try #require(throws: DataStoreError.self) {
        try store.withWritableConnection { connection in
          try connection.execute("UPDATE Item SET title = 'changed'")
          // The version of the index, by which a program knows what its bytes mean.
          let index = try FileHandle(forWritingTo: URL(filePath: folder.path("a.db-shm")))
          try index.write(contentsOf: Data(count: 4))
          try index.close()
          files.reset(.noSync)
        }
      }
      #expect(error == .outcomeUnknown)
      #expect(error.message.contains("may reappear after a crash"), "\(error)")
      #expect(error.file == folder.path("a.db"))
    }
    files.reset()
    let store = try SQLiteStore(configuration, migrationPlan: nil)
    let titles = try store.fetch(StoreQuery(entity: "Item")).map { $0["title"] }
    #expect(titles == [.string("kept")] || titles == [.string("changed")])
    #expect(try store.verify() == [])
  }
}
