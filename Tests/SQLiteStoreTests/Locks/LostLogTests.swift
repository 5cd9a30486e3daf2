import Foundation
import SQLiteStore
import StoreProtocol
import StoreTestSupport
import Testing

@Suite("A log that another program removes or changes while a store is open")
struct LostLogTests {
  enum Loss: CaseIterable {
    case removed, moved, truncated, replaced, indexRemoved, indexReplaced, bothRemoved

    /// Whether only this process still has the contents of the log.
    var isRescued: Bool { self != .truncated && self != .replaced && self != .indexReplaced }

    func happen(to sample: OpenSample) throws {
      let manager = FileManager.default
      switch self {
      case .removed: try manager.removeItem(atPath: sample.log)
      case .moved: try manager.moveItem(atPath: sample.log, toPath: sample.path + "-old")
      case .truncated: #expect(truncate(sample.log, 1_000) == 0)
      case .replaced: try Data(count: 5_000).write(to: URL(filePath: sample.log), options: .atomic)
      case .indexRemoved: try manager.removeItem(atPath: sample.index)
      case .indexReplaced:
        try Data(count: 32_768).write(to: URL(filePath: sample.index), options: .atomic)
      case .bothRemoved:
        try manager.removeItem(atPath: sample.log)
        try manager.removeItem(atPath: sample.index)
      }
    }
  }

  private let sample: OpenSample

  init() throws { sample = try OpenSample() }

  private func saved() throws -> SQLiteStore {
    let store = try sample.open()
    try OpenSample.save(store, "1")
    try OpenSample.save(store, "2")
    return store
  }

  @Test(arguments: Loss.allCases)
  func `makes the next save fail, and earlier saves are kept`(_ loss: Loss) throws {
    var store: SQLiteStore? = try saved()
    try loss.happen(to: sample)
    let error = try #require(throws: DataStoreError.self) {
      try OpenSample.save(#require(store), "3")
    }
    #expect(error == .storeReplaced)
    #expect(error.message.contains("log"), "\(error)")
    #expect(throws: DataStoreError.storeReplaced) { try OpenSample.save(#require(store), "3") }
    // All saves are in the database file, even if this process is killed.
    if loss.isRescued { #expect(try sample.titlesAfterKill([""]) == ["1", "2"]) }
    if loss == .indexReplaced { #expect(try sample.titlesAfterKill() == ["1", "2"]) }
    store = nil
    // A log that another program wrote determines the contents of the store.
    guard loss != .truncated, loss != .replaced else { return }
    let again = try sample.open()
    #expect(try OpenSample.titles(again) == ["1", "2"])
    try OpenSample.save(again, "3")
    #expect(try again.verify() == [])
  }

  @Test func `is checkpointed when the store closes without another save`() throws {
    do {
      let store = try saved()
      try Loss.removed.happen(to: sample)
      withExtendedLifetime(store) {}
    }
    #expect(try OpenSample.titles(sample.open()) == ["1", "2"])
  }

  @Test func `is checkpointed at closing if an empty one replaced it beside a moved database`()
    throws
  {
    let moved = sample.folder.path("moved.db")
    do {
      let store = try saved()
      try Data().write(to: URL(filePath: sample.log), options: .atomic)
      try FileManager.default.moveItem(atPath: sample.path, toPath: moved)
      withExtendedLifetime(store) {}
    }
    #expect(try OpenSample.titles(SQLiteStore.inFile(moved)) == ["1", "2"])
  }

  @Test func `is not removed at closing if it belongs to another database`() throws {
    let other = try OpenSample()
    let second = try other.open()
    try OpenSample.save(second, "other")
    do {
      let store = try saved()
      for suffix in ["", "-wal", "-shm"] {
        try FileManager.default.removeItem(atPath: sample.path + suffix)
        try FileManager.default.copyItem(atPath: other.path + suffix, toPath: sample.path + suffix)
      }
      withExtendedLifetime(store) {}
    }
    #expect(FileManager.default.fileExists(atPath: sample.log))
    #expect(try OpenSample.titles(sample.open()) == ["other"])
    withExtendedLifetime(second) {}
  }

  @Test func `accepts saves again after it is moved back`() throws {
    let store = try saved()
    try Loss.moved.happen(to: sample)
    #expect(throws: DataStoreError.storeReplaced) { try OpenSample.save(store, "3") }
    try FileManager.default.moveItem(atPath: sample.path + "-old", toPath: sample.log)
    try OpenSample.save(store, "3")
    #expect(try sample.titlesAfterKill() == ["1", "2", "3"])
  }

  @Test func `does not lose the save during which it is removed`() throws {
    let store = try saved()
    try store.withWritableConnection { connection in
      try connection.execute("UPDATE Item SET title = 'changed' WHERE title = '1'")
      try Loss.removed.happen(to: sample)
    }
    #expect(try sample.titlesAfterKill([""]) == ["changed", "2"])
    #expect(throws: DataStoreError.storeReplaced) { try OpenSample.save(store, "3") }
  }

  @Test func `makes the outcome unknown if it is replaced during a save`() throws {
    let store = try saved()
    let error = try #require(throws: DataStoreError.self) {
      try store.withWritableConnection { connection in
        try connection.execute("UPDATE Item SET title = 'changed' WHERE title = '1'")
        try Loss.replaced.happen(to: sample)
      }
    }
    #expect(error == .outcomeUnknown)
  }

  @Test func `makes reading and opening the store fail`() throws {
    let store = try saved()
    try Loss.removed.happen(to: sample)
    #expect(throws: DataStoreError.storeReplaced) { try OpenSample.titles(store) }
    #expect(throws: DataStoreError.storeReplaced) { try sample.open() }
    #expect(!FileManager.default.fileExists(atPath: sample.log))
    #expect(throws: DataStoreError.storeReplaced) { try store.compact() }
  }

  @Test func `may not exist yet when another process begins to read`() throws {
    do { try OpenSample.save(sample.open(), "1") }
    #expect(!FileManager.default.fileExists(atPath: sample.log))
    #expect(try OpenSample.titles(sample.open(access: OddFileAccess(.conflictsOnce))) == ["1"])
  }

  @Test func `makes opening fail if it is shorter than its index says`() throws {
    let store = try saved()
    try Loss.truncated.happen(to: sample)
    let error = #expect(throws: DataStoreError.self) { try sample.open() }
    // SQLite may meet the end of the log before the store compares its length.
    #expect(error == .storeReplaced || error == .io)
    withExtendedLifetime(store) {}
  }

  @Test func `is not removed if the database file is empty`() throws {
    let store = try saved()
    let copy = try OpenSample()
    try FileManager.default.copyItem(atPath: sample.log, toPath: copy.log)
    #expect(FileManager.default.createFile(atPath: copy.path, contents: nil))
    let error = try #require(throws: DataStoreError.self) { try copy.open() }
    #expect(error == .storeDamaged)
    #expect(error.message.contains("the file is empty, but its log (-wal) is not"))
    #expect(FileManager.default.fileExists(atPath: copy.log))
    #expect(!FileManager.default.fileExists(atPath: copy.path + ".lock"))
    withExtendedLifetime(store) {}
  }

  @Test(arguments: [false, true])
  func `accepts no saves until its moved folder is back`(
    isReplaced: Bool
  ) throws {
    let store = try saved()
    let manager = FileManager.default
    let path = sample.folder.url.path
    let away = path + "-away"
    try manager.moveItem(atPath: path, toPath: away)
    if isReplaced { try manager.copyItem(atPath: away, toPath: path) }
    #expect(throws: DataStoreError.storeReplaced) { try OpenSample.save(store, "3") }
    if isReplaced { try manager.removeItem(atPath: path) }
    try manager.moveItem(atPath: away, toPath: path)
    try OpenSample.save(store, "4")
    #expect(try sample.titlesAfterKill() == ["1", "2", "4"])
  }
}
