import Foundation
import SQLiteStore
import SQLiteTestSupport
import StoreProtocol
import StoreTestSupport

/// A store in a temporary folder whose first save waits until some others wait for it.
struct GroupSample {
  let folder: TemporaryFolder
  let files: FaultyFiles
  let access = FaultyFileAccess()
  let store: SQLiteStore
  let gate: WaitingGate
  /// A row that was saved before.
  let item: PersistentIdentifier

  init(waiting count: Int, busyTimeout: Double = 0.5) throws {
    folder = try TemporaryFolder()
    files = try FaultyFiles()
    var configuration = SQLiteStoreConfiguration(
      schema: Schema(storeSchema: SampleSchema.store),
      url: URL(filePath: folder.path("a.db"))
    )
    configuration.busyTimeout = busyTimeout
    configuration.fileSystem = files.name
    configuration.access = access
    store = try SQLiteStore(configuration, migrationPlan: nil)
    gate = WaitingGate(for: count)
    item = try store.insert([.new(SampleSchema.item, ["title": .string("before")])])[0]
    files.reset()
  }

  /// A save of a new item, which waits at the gate if it is the first one.
  func newItem(_ title: String, _ onWrite: @escaping @Sendable () -> Void = {}) -> StoreChanges {
    let row = WaitingRow(
      [0: .string(title)],
      at: gate,
      waiting: { [store] in store.waitingSaves },
      onWrite: onWrite
    )
    var changes = StoreChanges()
    changes.insertions = [.new(1, of: SampleSchema.item, from: row)]
    return changes
  }

  /// A change of the row that was saved before, which is refused because it expects a later version.
  func staleChange() -> StoreChanges {
    StoreChanges(
      updated: [.change(item, SampleSchema.item, ["title": .string("stale")])],
      expectedVersions: [item: 7]
    )
  }

  /// Saves changes on threads of their own, which arrive in their order while the first save waits.
  func save(_ saves: [StoreChanges]) -> [Result<StoreChangesResult, any Error>] {
    run(saves.count) { try store.apply(saves[$0]) }
  }

  /// Saves changes on threads of their own, all of which wait until a function has run.
  func save(
    _ saves: [StoreChanges],
    after work: @escaping @Sendable () throws -> Void
  ) throws -> [Result<StoreChangesResult?, any Error>] {
    let results = run(saves.count + 1) { index -> StoreChangesResult? in
      if index > 0 { return try store.apply(saves[index - 1]) }
      try store.betweenSaves {
        gate.wait { store.waitingSaves }
        try work()
      }
      return nil
    }
    _ = try results[0].get()
    return Array(results.dropFirst())
  }

  func run<Value>(
    _ count: Int,
    _ body: @escaping @Sendable (Int) throws -> Value
  ) -> [Result<Value, any Error>] {
    let store = store
    return ArrivingThreads.run(count, at: gate, waiting: { store.waitingSaves }, body)
  }

  var logSyncs: Int { files.calls.count { $0.kind == .sync && $0.role == .log } }

  func titles(_ store: SQLiteStore) throws -> [String] {
    try store.fetch(StoreQuery(entity: "Item")).compactMap {
      if case .string(let title)? = $0["title"] { title } else { nil }
    }
  }

  /// Returns the titles that another process finds after a kill of this one.
  func titlesAfterKill() throws -> [String] {
    let copy = try TemporaryFolder()
    for suffix in ["", "-wal"]
    where FileManager.default.fileExists(atPath: folder.path("a.db") + suffix) {
      try FileManager.default.copyItem(
        atPath: folder.path("a.db") + suffix,
        toPath: copy.path("a.db") + suffix
      )
    }
    return try titles(SQLiteStore.inFile(copy.path("a.db")))
  }
}
