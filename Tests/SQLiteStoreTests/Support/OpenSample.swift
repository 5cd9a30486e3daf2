import Foundation
import StoreFiles
import SQLiteStore
import StoreProtocol

/// A store in a folder of its own, whose files a test takes away while it is open.
struct OpenSample {
  let folder: TemporaryFolder
  var path: String { folder.path("a.db") }
  var log: String { path + "-wal" }
  var index: String { path + "-shm" }

  init() throws {
    folder = try TemporaryFolder()
  }

  func open(
    _ durability: StoreCapabilities.Durability = .full,
    allowsSave: Bool = true,
    access: any FileAccess = SystemFileAccess()
  ) throws -> SQLiteStore {
    var configuration = SQLiteStoreConfiguration(
      schema: Schema(storeSchema: SampleSchema.store),
      url: URL(filePath: path),
      allowsSave: allowsSave,
      durability: durability
    )
    configuration.busyTimeout = 0.5
    configuration.access = access
    return try SQLiteStore(configuration, migrationPlan: nil)
  }

  static func save(_ store: SQLiteStore, _ title: String) throws {
    try store.insert([.new(SampleSchema.item, ["title": .string(title)])])
  }

  static func titles(_ store: SQLiteStore) throws -> [String] {
    try store.fetch(StoreQuery(entity: "Item")).compactMap { row -> String? in
      guard case .string(let title)? = row["title"] else { return nil }
      return title
    }
  }

  /// What a program finds that opens the files after a kill of this process.
  func titlesAfterKill(_ suffixes: [String] = ["", "-wal"]) throws -> [String] {
    let copy = try OpenSample()
    for suffix in suffixes where FileManager.default.fileExists(atPath: path + suffix) {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: copy.path + suffix)
    }
    let store = try copy.open()
    let problems = try store.verify()
    return try problems.isEmpty ? Self.titles(store) : ["\(problems)"]
  }
}
