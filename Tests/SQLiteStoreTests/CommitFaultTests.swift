import CSQLite
import Foundation
import StoreFiles
import SQLiteStore
import SQLiteTestSupport
import StoreProtocol
import StoreTestSupport
import Testing

/// The log before a commit that fails.
///
/// A checkpointed one has no valid frames, but keeps its length. A new one is empty: the store was
/// closed and opened again.
enum LogState: CaseIterable { case used, checkpointed, new }

/// A store in a temporary folder with fault injection.
private struct FaultySample {
  let folder: TemporaryFolder
  let files: FaultyFiles
  let access = FaultyFileAccess()
  let store: SQLiteStore
  let changes: StoreChanges

  var path: String { folder.path("a.db") }

  init(_ durability: StoreCapabilities.Durability = .full, _ log: LogState = .used) throws {
    folder = try TemporaryFolder()
    files = try FaultyFiles()
    let first = try Self.open(folder.path("a.db"), durability, files, access)
    try first.insert([.new(SampleSchema.item, ["title": .string("1")])])
    if log == .new { try first.close() }
    store = try log == .new ? Self.open(folder.path("a.db"), durability, files, access) : first
    if log == .checkpointed { #expect(store.checkpointKeepingLog()) }
    // More pages than one, so that some frames may be whole and others not.
    changes = StoreChanges(
      inserted: [
        .new(SampleSchema.item, ["title": .string("2")]),
        .new(SampleSchema.values, ["string": .string(String(repeating: "x", count: 9_000))]),
      ]
    )
  }

  static func open(
    _ path: String,
    _ durability: StoreCapabilities.Durability = .full,
    _ files: FaultyFiles? = nil,
    _ access: any FileAccess = SystemFileAccess()
  ) throws -> SQLiteStore {
    var configuration = SQLiteStoreConfiguration(
      schema: Schema(storeSchema: SampleSchema.store),
      url: URL(filePath: path),
      durability: durability
    )
    // A process that another test starts holds this one's locks until it calls exec.
    configuration.busyTimeout = 0.5
    configuration.fileSystem = files?.name
    configuration.access = access
    return try SQLiteStore(configuration, migrationPlan: nil)
  }

  func titles(_ store: SQLiteStore) throws -> [StoreValue] {
    try store.fetch(StoreQuery(entity: "Item")).compactMap { $0["title"] }
  }

  /// Returns the titles that another process finds after a kill of this one, without the index of
  /// the log.
  func titlesAfterKill() throws -> [StoreValue] {
    let copy = try TemporaryFolder()
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: copy.path("a.db") + suffix)
    }
    let store = try Self.open(copy.path("a.db"))
    #expect(try store.text("PRAGMA integrity_check") == "ok")
    return try titles(store)
  }

  /// Makes the commit fail after all its frames are in the log.
  func failLate() {
    files.reset(.noSync)
  }
}

@Suite("A commit that fails")
struct CommitFaultTests {
  private static let before: [StoreValue] = [.string("1")]
  private static let after: [StoreValue] = [.string("1"), .string("2")]

  @Test(arguments: StoreCapabilities.Durability.allCases, LogState.allCases)
  func `is not saved, even after a kill, and can be saved again`(
    durability: StoreCapabilities.Durability,
    log: LogState
  ) throws {
    let whole = try FaultySample(durability, log)
    whole.files.reset()
    _ = try whole.store.apply(whole.changes)
    let count = whole.files.calls.count
    #expect(count > 4)
    for call in Sweep.part(Array(0..<count), of: 4) {
      for effect in FaultyFiles.Fault.Effect.allCases {
        let sample = try FaultySample(durability, log)
        sample.files.reset(.init(call: call, count: call % 2 == 0 ? 1 : 1_000, effect: effect))
        try check(sample, "\(call) \(effect)")
      }
    }
  }

  private func check(_ sample: FaultySample, _ fault: Comment) throws {
    #expect(throws: DataStoreError.notSaved, fault) { try sample.store.apply(sample.changes) }
    #expect(try sample.titlesAfterKill() == Self.before, fault)
    #expect(try sample.titles(sample.store) == Self.before, fault)
    sample.files.reset()
    _ = try sample.store.apply(sample.changes)
    #expect(try sample.titles(sample.store) == Self.after, fault)
    #expect(try sample.titlesAfterKill() == Self.after, fault)
  }

  @Test func `does not reappear if the process is killed after the error`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.db")
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let files = try FaultyFiles()
      let store = try FaultySample.open(path, .full, files)
      try store.insert([.new(SampleSchema.item, ["title": .string("1")])])
      files.reset(.noSync)
      do {
        try store.insert([.new(SampleSchema.item, ["title": .string("2")])])
      } catch DataStoreError.notSaved {
        kill(getpid(), SIGKILL)
      }
    }
    let store = try SQLiteStore.inFile(path)
    #expect(try store.count(StoreQuery(entity: "Item")) == 1)
  }

  @Test func `has an unknown outcome if it cannot be rolled back`() throws {
    let sample = try FaultySample()
    sample.failLate()
    // The first call of the save takes the lock; then the log cannot be truncated.
    let calls = try callsOfSave(sample)
    sample.access.reset(.from(call: calls, code: EIO))
    #expect(throws: DataStoreError.outcomeUnknown) { try sample.store.apply(sample.changes) }
    #expect(throws: DataStoreError.outcomeUnknown) { try sample.titles(sample.store) }
    #expect(throws: DataStoreError.outcomeUnknown) { try sample.store.apply(sample.changes) }
    #expect(throws: DataStoreError.outcomeUnknown) {
      try sample.store.outcome(ofSave: sample.changes.saveIdentifier)
    }
    #expect(throws: DataStoreError.notSaved) {
      try sample.store.insert([.new(SampleSchema.item)])
    }
    // Other processes must not open the store and find the frames.
    #expect(throws: DataStoreError.storeBusy) { try FaultySample.open(sample.path) }
    sample.access.reset()
    sample.files.reset()
    #expect(try sample.titles(sample.store) == Self.before)
    guard case .notSaved = try sample.store.outcome(ofSave: sample.changes.saveIdentifier) else {
      Issue.record("the save must be reported as not saved")
      return
    }
    #expect(throws: DataStoreError.outcomeUnknown) { try sample.store.outcome(ofSave: UUID()) }
    #expect(try sample.titlesAfterKill() == Self.before)
    _ = try sample.store.apply(sample.changes)
    #expect(try sample.titlesAfterKill() == Self.after)
    #expect(try sample.titles(FaultySample.open(sample.path)) == Self.after)
  }

  /// Returns the number of file calls of a save before its commit.
  private func callsOfSave(_ sample: FaultySample) throws -> Int {
    let other = try FaultySample()
    other.access.reset()
    _ = try other.store.apply(other.changes)
    // The last call examines the log after the commit.
    return other.access.calls.count - 1
  }

  @Test func `with an unknown outcome is resolved when a store is next opened`() throws {
    let folder: TemporaryFolder
    do {
      let sample = try FaultySample()
      folder = sample.folder
      sample.failLate()
      sample.access.reset(.from(call: try callsOfSave(sample), code: EIO))
      #expect(throws: DataStoreError.outcomeUnknown) { try sample.store.apply(sample.changes) }
    }
    let store = try FaultySample.open(folder.path("a.db"))
    #expect([1, 2].contains(try store.count(StoreQuery(entity: "Item"))))
    try store.insert([.new(SampleSchema.item)])
  }

  @Test func `on a full disk reports the full disk`() throws {
    let sample = try FaultySample()
    sample.files.reset(.init(call: 0, count: 1_000, code: SQLITE_FULL))
    let error = #expect(throws: DataStoreError.self) { try sample.store.apply(sample.changes) }
    #expect(error?.message.contains("disk is full") == true)
  }
}

@Suite("Syncs of a SQLite store")
struct SyncTests {
  @Test(arguments: [
    (StoreCapabilities.Durability.full, 1), (.relaxed, 0), (.none, 0),
  ])
  func `match the durability level of a save`(
    durability: StoreCapabilities.Durability,
    syncs: Int
  ) throws {
    let sample = try FaultySample(durability)
    sample.files.reset()
    sample.access.reset()
    _ = try sample.store.apply(sample.changes)
    #expect(
      sample.files.calls.filter { $0.kind == .sync }.map(\.role)
        == .init(repeating: .log, count: syncs)
    )
    #expect(sample.files.calls.contains { $0.kind == .write && $0.role == .log })
    #expect(!sample.access.calls.contains(.sync))
  }

  @Test func `write an existing log to disk before a save depends on it`() throws {
    let sample = try FaultySample()
    let copy = try TemporaryFolder()
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(
        atPath: sample.path + suffix,
        toPath: copy.path("a.db") + suffix
      )
    }
    let access = FaultyFileAccess()
    let files = try FaultyFiles()
    let store = try FaultySample.open(copy.path("a.db"), .full, files, access)
    let calls = access.calls.filter { [.read, .write, .sync].contains($0) }
    // Before them, the database is synced and the frames are read one by one.
    #expect(calls.suffix(3) == [.read, .write, .sync])
    #expect(calls.dropLast(3).filter { $0 != .read } == [.sync])
    // The cached database pages of the log's frames are dropped as well.
    #expect(access.forgetCount == 2)
    #expect(files.calls.filter { $0.kind == .sync }.map(\.role) == [.log, .database])
    #expect(try Data(contentsOf: URL(filePath: copy.path("a.db-wal"))).isEmpty)
    #expect(try store.count(StoreQuery(entity: "Item")) == 1)
  }
}
