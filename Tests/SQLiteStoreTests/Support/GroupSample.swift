import Foundation
import SQLiteStore
import SQLiteTestSupport
import StoreProtocol
import StoreTestSupport

/// A store in a temporary folder whose first save waits until some others wait for it.
struct GroupSample: GroupSampling {
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
