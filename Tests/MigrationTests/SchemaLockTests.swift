import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("A schema lock")
struct SchemaLockTests {
  private let folder: TemporaryFolder
  private var url: URL { folder.file("schema.lock") }

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func `records the models of each version`() throws {
    try Schema(versionedSchema: TripsV1.self).writeLock(to: url)
    try Schema(versionedSchema: TripsV2.self).writeLock(to: url)
    try Schema(versionedSchema: TripsV1.self).checkLock(at: url)
    try Schema(versionedSchema: TripsV2.self).checkLock(at: url)
    let bytes = try Data(contentsOf: url)
    try Schema(versionedSchema: TripsV2.self).writeLock(to: url)
    #expect(try Data(contentsOf: url) == bytes)
  }

  @Test func `reports the difference if a model changes without a new version`() throws {
    try Schema(versionedSchema: TripsV1.self).writeLock(to: url)
    let changed = Schema(TripsV2.models, version: Schema.Version(1, 0, 0))
    for attempt in [changed.checkLock(at:), changed.writeLock(to:)] {
      let error = try #require(throws: DataStoreError.self) { try attempt(url) }
      #expect(error == .schemaMismatch)
      #expect(error.message.contains("Trip.name: renamed from title"))
    }
  }

  @Test func `fails for an unknown version and for other files`() throws {
    try Schema(versionedSchema: TripsV1.self).writeLock(to: url)
    #expect(throws: DataStoreError.schemaMismatch) {
      try Schema(versionedSchema: TripsV2.self).checkLock(at: url)
    }
    try Data("{}".utf8).write(to: url)
    #expect(throws: DataStoreError.storeDamaged) {
      try Schema(versionedSchema: TripsV1.self).checkLock(at: url)
    }
    #expect(throws: DataStoreError.io) {
      try Schema(versionedSchema: TripsV1.self).checkLock(at: folder.file("none"))
    }
  }
}
