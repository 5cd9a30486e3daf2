import CSQLite
import Foundation
import SQLiteStore
import StoreProtocol
import StoreTestSupport
import Testing

@Suite("A hostile database")
struct HostileDatabaseTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("a.db")
    let store = try SQLiteStore.inFile(path)
    try store.insert((0..<30).map { _ in .new(SampleSchema.trip) })
    try store.insert([.new(SampleSchema.item)])
  }

  private func content() throws -> Data { try Data(contentsOf: URL(filePath: path)) }

  /// Runs statements on the closed file as another program would.
  private func tamper(_ sql: String) {
    var connection: OpaquePointer?
    sqlite3_open(path, &connection)
    defer { sqlite3_close(connection) }
    _ = csqlite_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 0)
    #expect(sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK)
  }

  /// Opens, reads and saves, and returns the code of the first error, or `nil` if there is none.
  private func refusal() throws -> DataStoreError? {
    do {
      let store = try SQLiteStore.inFile(path)
      for entity in SampleSchema.store.entities {
        _ = try store.fetch(StoreQuery(entity: entity.name))
      }
      try store.insert([.new(SampleSchema.item)])
      return nil
    } catch let error as DataStoreError {
      return error
    }
  }

  @Test(arguments: [
    // Schema entries that SQLite would execute.
    "CREATE VIEW v AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) SELECT * FROM c",
    "CREATE TRIGGER t BEFORE UPDATE ON Item BEGIN SELECT load_extension('x'); END",
    "CREATE TRIGGER t AFTER INSERT ON OpenSwiftData BEGIN DELETE FROM Trip; END",
    "CREATE TABLE mine(x, y AS (zeroblob(1000000000))); CREATE TRIGGER t AFTER INSERT ON Item"
      + " BEGIN INSERT INTO mine(x) VALUES (1); END",
    "CREATE INDEX i ON Item(title) WHERE abs(title) > 1", "CREATE INDEX i ON Item(hex(title))",
    // Schema entries that SQLite would trust.
    "PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = replace(sql, 'TEXT', 'BLOB')"
      + " WHERE name = 'Item'",
    "PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql ="
      + " 'CREATE VIEW Item AS SELECT 1 AS _key', type = 'view' WHERE name = 'Item'",
    "PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = replace(sql, '\"Item\"(', '\"Item\" (')"
      + " WHERE name = 'Item' AND type = 'table'",
    "PRAGMA writable_schema = 1; INSERT INTO sqlite_master VALUES ('trigger', 'sqlite_t', 'Item', 0,"
      + " 'CREATE TRIGGER sqlite_t AFTER INSERT ON Item BEGIN DELETE FROM Trip; END')",
    "PRAGMA writable_schema = 1; INSERT INTO sqlite_master VALUES ('view', 'sqlite_v', 'sqlite_v',"
      + " 0, 'CREATE VIEW sqlite_v AS SELECT 1')",
    "PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = 'CREATE TABLE'",
    "PRAGMA writable_schema = 1; DELETE FROM sqlite_master WHERE name = 'Trip'",
    "PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = NULL WHERE name = 'Item'",
    // Counters at their limits, and invalid ones.
    "UPDATE OpenSwiftData SET value = 9223372036854775807 WHERE key = 'nextKey'",
    "UPDATE OpenSwiftData SET value = 9223372036854775807 WHERE key = 'saves'",
    "UPDATE OpenSwiftData SET value = -1 WHERE key = 'nextKey'",
    "UPDATE OpenSwiftData SET value = -1 WHERE key = 'saves'",
    "UPDATE OpenSwiftData SET value = 1.5 WHERE key = 'saves'",
  ])
  func `is refused and stays unchanged`(sql: String) throws {
    tamper("PRAGMA foreign_keys = OFF; " + sql)
    let before = try content()
    let code = try refusal()
    #expect(code == .storeNotTrusted || code == .storeDamaged, "\(String(describing: code))")
    #expect(try content() == before)
  }

  @Test(arguments: [
    "UPDATE sqlite_master SET rootpage = 1 WHERE name = 'Item'",
    "UPDATE sqlite_master SET rootpage = 99999 WHERE name = 'Item'",
    "UPDATE sqlite_master SET rootpage = 3 WHERE name = 'Item'",
    "UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'Trip')"
      + " WHERE name = 'Item'",
  ])
  func `with wrong root pages causes an error or rows, and nothing worse`(sql: String) throws {
    tamper("PRAGMA writable_schema = 1; " + sql)
    let code = try refusal()
    #expect(code != .io, "\(String(describing: code))")
  }

  /// Bytes of the file's header, at their offsets.
  @Test(
    arguments: [
      (16, [0, 0]), (16, [0, 1]), (16, [2, 0]), (16, [255, 255]), (18, [9]), (19, [9]), (20, [255]),
      (21, [0]), (28, [127, 255, 255, 255]), (32, [0, 0, 0, 3]), (36, [255, 255, 255, 255]),
      (44, [0, 0, 0, 9]), (52, [0, 0, 0, 3]), (56, [0, 0, 0, 2]), (0, [0]), (100, [0]), (100, [5]),
    ] as [(Int, [UInt8])]
  )
  func `with an invalid header causes an error or rows, and nothing worse`(
    offset: Int,
    bytes: [UInt8]
  ) throws {
    var file = try content()
    file.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    try file.write(to: URL(filePath: path))
    if let code = try refusal() {
      #expect(
        [.storeDamaged, .storeNotTrusted, .storeTooNew, .storeReadOnly, .io].contains(code),
        "\(code)"
      )
    }
  }

  @Test(arguments: [512, 1024, 65_536])
  func `with another page size is accepted`(size: Int) throws {
    tamper("PRAGMA journal_mode = DELETE; PRAGMA page_size = \(size); VACUUM")
    #expect(try refusal() == nil)
  }

  @Test func `that looks encrypted is refused and stays unchanged`() throws {
    var generator = SeededGenerator(seed: 7)
    let noise = Data((0..<8192).map { _ in UInt8.random(in: 1...255, using: &generator) })
    try noise.write(to: URL(filePath: path))
    #expect(try refusal() == .storeDamaged)
    #expect(try content() == noise)
  }

  @Test(arguments: [0o600, 0o640])
  func `keeps its file mode`(mode: Int) throws {
    let manager = FileManager.default
    try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    #expect(try refusal() == nil)
    #expect(try manager.attributesOfItem(atPath: path)[.posixPermissions] as? Int == mode)
  }

  @Test(arguments: ["a.db", "a.db-wal", "a.db-shm", "a.db-journal", "a.db.lock"])
  func `is not opened through a pipe or a link`(name: String) throws {
    let manager = FileManager.default
    let target = folder.path(name)
    try Data("precious".utf8).write(to: folder.url.appending(path: "victim"))
    for step in 0..<3 {
      try? manager.removeItem(atPath: target)
      switch step {
      case 0: try manager.createSymbolicLink(atPath: target, withDestinationPath: "victim")
      case 1: try #require(mkfifo(target, 0o600) == 0)
      default: try manager.linkItem(atPath: folder.path("victim"), toPath: target)
      }
      let code = try refusal()
      #expect(
        code == .storeNotTrusted || code == .io
          // A link to the file is followed, and its target is no database.
          || name == "a.db" && step == 0 && code == .storeDamaged,
        "\(name) \(step) \(String(describing: code))"
      )
    }
    #expect(try Data(contentsOf: folder.url.appending(path: "victim")) == Data("precious".utf8))
  }
}
