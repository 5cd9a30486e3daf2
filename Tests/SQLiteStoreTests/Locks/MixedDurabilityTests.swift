import Foundation
import SQLiteStore
import SQLiteTestSupport
import StoreProtocol
import StoreTestSupport
import Testing

@Suite("A store without durability")
struct MixedDurabilityTests {
  private let folder: TemporaryFolder
  private let files: FaultyFiles
  private let access = FaultyFileAccess()
  private var path: String { folder.path("a.db") }

  init() throws {
    folder = try TemporaryFolder()
    files = try FaultyFiles()
  }

  private func open(_ durability: StoreCapabilities.Durability) throws -> SQLiteStore {
    var configuration = SQLiteStoreConfiguration(
      schema: Schema(storeSchema: SampleSchema.store),
      url: URL(filePath: path),
      durability: durability
    )
    configuration.fileSystem = files.name
    configuration.access = access
    return try SQLiteStore(configuration, migrationPlan: nil)
  }

  private var syncs: [FaultyFiles.Call.Role] {
    files.calls.filter { $0.kind == .sync }.map(\.role)
  }

  @Test func `syncs the saves of other stores before it removes their log`() throws {
    let sample = try OpenSample()
    let store = try sample.open()
    try OpenSample.save(store, "promised")
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: sample.path + suffix, toPath: path + suffix)
    }
    do { _ = try open(.none) }
    #expect(syncs == [.log, .database])
    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    withExtendedLifetime(store) {}
  }

  @Test func `syncs what it checkpoints after a durable store has closed`() throws {
    var full: SQLiteStore? = try open(.full)
    let none = try open(.none)
    try OpenSample.save(#require(full), "promised")
    full = nil
    files.reset()
    #expect(none.checkpoint())
    #expect(syncs == [.log, .database])
    #expect(try none.synchronousOfWriter() == 0)
    files.reset()
    try OpenSample.save(none, "not promised")
    #expect(syncs == [])
  }

  @Test func `syncs nothing if no other store uses the file`() throws {
    do {
      let none = try open(.none)
      try OpenSample.save(none, "1")
      files.reset()
    }
    #expect(syncs == [])
    do {
      _ = try open(.none)
    }
    #expect(syncs == [])
  }

  @Test func `is synced once by a store with durability`() throws {
    let none = try open(.none)
    try OpenSample.save(none, "1")
    access.reset()
    do { try OpenSample.save(open(.relaxed), "2") }
    #expect(access.calls.filter { $0 == .sync }.count == 3)
    files.reset()
    #expect(none.checkpoint())
    #expect(syncs == [.log, .database])
    access.reset()
    do { _ = try open(.full) }
    #expect(!access.calls.contains(.sync))
  }
}
