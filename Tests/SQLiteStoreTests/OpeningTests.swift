import CSQLite
import Foundation
import SQLiteStore
import StoreProtocol
import StoreTestSupport
import Testing

@Suite("Opening a store")
struct OpeningTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("a.db")
  }

  private func code(_ body: () throws -> Void) -> DataStoreError? {
    do {
      try body()
      return nil
    } catch {
      return error as? DataStoreError
    }
  }

  /// Runs statements on the closed file as another program would.
  private func tamper(_ sql: String) {
    var connection: OpaquePointer?
    sqlite3_open(path, &connection)
    _ = csqlite_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 0)
    #expect(sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK)
    sqlite3_close(connection)
  }

  private func content() throws -> Data {
    try Data(contentsOf: URL(filePath: path))
  }

  @Test func `creates files that only their owner can read`() throws {
    let inner = folder.url.appending(path: "new/a.db").path
    let store = try SQLiteStore.inFile(inner)
    try store.insert([.new(SampleSchema.item)])
    for name in ["", "/a.db", "/a.db-wal", "/a.db-shm", "/a.db.lock"] {
      let file = folder.url.appending(path: "new").path + name
      let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
      #expect(mode as? Int == (name.isEmpty ? 0o700 : 0o600), "\(name)")
    }
  }

  @Test func `leaves one file and the lock file after closing`() throws {
    do {
      let store = try SQLiteStore.inFile(path)
      try store.insert([.new(SampleSchema.item)])
      _ = try store.count(StoreQuery(entity: "Item"))
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(names.sorted() == ["a.db", "a.db.lock"])
  }

  @Test func `uses the file's schema if the configuration has none`() throws {
    let identifier = try SQLiteStore.inFile(path).identifier
    let store = try SQLiteStore.inFile(path, nil)
    #expect(store.schema.storeSchema == SampleSchema.store)
    #expect(store.identifier == identifier)
  }

  @Test func `requires a schema to create a store`() throws {
    #expect(code { _ = try SQLiteStore.inFile(path, nil) } == .invalidConfiguration)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `for reading only creates and changes nothing`() throws {
    #expect(code { _ = try SQLiteStore.inFile(path, allowsSave: false) } == .storeNotFound)
    do { try SQLiteStore.inFile(path).insert([.new(SampleSchema.item)]) }
    let before = try content()
    do {
      let store = try SQLiteStore.inFile(path, allowsSave: false)
      #expect(try store.count(StoreQuery(entity: "Item")) == 1)
      #expect(code { try store.insert([.new(SampleSchema.item)]) } == .storeReadOnly)
    }
    #expect(try content() == before)
  }

  @Test func `rejects invalid store names`() throws {
    try FileManager.default.createDirectory(
      atPath: folder.path("inner"),
      withIntermediateDirectories: false
    )
    #expect(throws: SwiftDataError.configurationFileNameContainsInvalidCharacters) {
      try SQLiteStore.inFile(folder.path("inner/a.lock"))
    }
    #expect(throws: SwiftDataError.configurationFileNameTooLong) {
      try SQLiteStore.inFile(folder.path("inner/" + String(repeating: "n", count: 201)))
    }
    #expect(throws: DataStoreError.self) { try SQLiteStore.inFile(folder.path("inner/")) }
  }

  @Test func `follows a symbolic link to the file, beside which all other files are`() throws {
    let store = try SQLiteStore.inFile(path)
    let link = folder.path("links/link.db")
    let manager = FileManager.default
    try manager.createDirectory(atPath: folder.path("links"), withIntermediateDirectories: false)
    try manager.createSymbolicLink(atPath: link, withDestinationPath: path)
    let linked = try SQLiteStore.inFile(link)
    try linked.insert([.new(SampleSchema.item)])
    try store.insert([.new(SampleSchema.item)])
    #expect(try linked.count(StoreQuery(entity: "Item")) == 2)
    #expect(try manager.contentsOfDirectory(atPath: folder.path("links")) == ["link.db"])
  }

  @Test func `rejects a symbolic link to nothing or to a folder, a folder and a hard link`() throws
  {
    do { _ = try SQLiteStore.inFile(path) }
    let manager = FileManager.default
    try manager.createDirectory(atPath: folder.path("folder.db"), withIntermediateDirectories: true)
    for target in ["nowhere.db", "folder.db"] {
      let link = folder.path("to \(target)")
      try manager.createSymbolicLink(atPath: link, withDestinationPath: folder.path(target))
      #expect(code { _ = try SQLiteStore.inFile(link) } == .storeNotTrusted)
    }
    #expect(!manager.fileExists(atPath: folder.path("nowhere.db")))
    #expect(code { _ = try SQLiteStore.inFile(folder.path("folder.db")) } == .storeNotTrusted)
    try manager.linkItem(atPath: path, toPath: folder.path("second.db"))
    #expect(code { _ = try SQLiteStore.inFile(path) } == .storeNotTrusted)
  }

  @Test func `in a folder in which any user may replace files is allowed only for reading`() throws
  {
    do { _ = try SQLiteStore.inFile(path) }
    let before = try content()
    #expect(chmod(folder.url.path, 0o777) == 0)
    #expect(code { _ = try SQLiteStore.inFile(path) } == .storeNotTrusted)
    #expect(code { _ = try SQLiteStore.inFile(folder.path("new.db")) } == .storeNotTrusted)
    #expect(!FileManager.default.fileExists(atPath: folder.path("new.db")))
    #expect(try content() == before)
    _ = try SQLiteStore.inFile(path, allowsSave: false)
    #expect(chmod(folder.url.path, 0o1777) == 0)
    _ = try SQLiteStore.inFile(path)
  }

  @Test func `is read in a folder in which no file can be created`() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let path = folder.path("a b?%.db")
      do { try SQLiteStore.inFile(path).insert([.new(SampleSchema.item)]) }
      guard chmod(folder.url.path, 0o555) == 0, chmod(path, 0o444) == 0 else { exit(1) }
      // The rights do not bind the administrator.
      if geteuid() == 0, seteuid(65_534) != 0 { exit(2) }
      // A folder above this one may be private.
      guard FileManager.default.contents(atPath: path) != nil else { exit(0) }
      let store = try SQLiteStore.inFile(path, nil, allowsSave: false)
      guard try store.count(StoreQuery(entity: "Item")) == 1 else { exit(3) }
      guard try SQLiteStore.inFile(path, nil, allowsSave: false).verify() == [] else { exit(4) }
      do {
        _ = try SQLiteStore.inFile(path, nil)
        exit(5)
      } catch let error as DataStoreError {
        exit(error == .storeReadOnly && error.message.contains("allowsSave false") ? 0 : 6)
      }
    }
  }

  @Test func `rejects a log that is a symbolic link`() throws {
    do { _ = try SQLiteStore.inFile(path) }
    try Data("precious".utf8).write(to: folder.url.appending(path: "victim"))
    try FileManager.default.createSymbolicLink(
      atPath: path + "-wal",
      withDestinationPath: folder.path("victim")
    )
    #expect(code { _ = try SQLiteStore.inFile(path) } == .storeNotTrusted)
    #expect(try Data(contentsOf: folder.url.appending(path: "victim")) == Data("precious".utf8))
  }

  @Test func `rejects a file that is not a database and leaves it unchanged`() throws {
    let text = Data(String(repeating: "no database\n", count: 500).utf8)
    try text.write(to: URL(filePath: path))
    #expect(code { _ = try SQLiteStore.inFile(path) } == .storeDamaged)
    #expect(try content() == text)
  }

  @Test func `rejects another program's database and leaves it unchanged`() throws {
    tamper("CREATE TABLE notes(text); INSERT INTO notes VALUES ('mine')")
    let before = try content()
    #expect(code { _ = try SQLiteStore.inFile(path) } == .storeNotTrusted)
    #expect(try content() == before)
  }

  @Test func `rejects a newer format and leaves the file unchanged`() throws {
    do { _ = try SQLiteStore.inFile(path) }
    tamper("PRAGMA user_version = \(SQLiteStore.currentFormat + 1)")
    let before = try content()
    #expect(code { _ = try SQLiteStore.inFile(path) } == .storeTooNew)
    #expect(try content() == before)
  }

  @Test func `rejects an earlier format that contradicts the tables and leaves the file unchanged`()
    throws
  {
    do { _ = try SQLiteStore.inFile(path) }
    tamper("PRAGMA user_version = 1")
    let before = try content()
    #expect(code { _ = try SQLiteStore.inFile(path) } == .storeDamaged)
    #expect(try content() == before)
  }

  @Test(arguments: [
    "CREATE TRIGGER t AFTER INSERT ON Item BEGIN DELETE FROM Trip; END",
    "CREATE VIEW v AS SELECT * FROM Item",
    "CREATE VIRTUAL TABLE f USING fts5(text)",
    "CREATE UNIQUE INDEX i ON Item(title)",
    "ALTER TABLE Item ADD COLUMN more TEXT",
    "DROP TABLE \"Trip.tags\"",
    "DROP INDEX \"unique Tag(name)\"",
    "ALTER TABLE Item RENAME COLUMN title TO name",
    "DELETE FROM OpenSwiftData",
    "UPDATE OpenSwiftData SET value = 'x' WHERE key = 'schema'",
    "UPDATE OpenSwiftData SET value = NULL WHERE key = 'identifier'",
    "DROP TABLE OpenSwiftData",
    "DROP TABLE Item; CREATE VIEW Item AS SELECT 1 AS _key, 'x' AS title, 1 AS trip",
  ])
  func `rejects a file whose structure was changed`(_ sql: String) throws {
    do { try SQLiteStore.inFile(path).insert([.new(SampleSchema.trip)]) }
    tamper("PRAGMA foreign_keys = OFF; " + sql)
    let before = try content()
    let found = code { _ = try SQLiteStore.inFile(path) }
    #expect(found == .storeNotTrusted || found == .storeDamaged)
    #expect(try content() == before)
  }

  @Test func `accepts tables of other programs`() throws {
    do { _ = try SQLiteStore.inFile(path) }
    tamper("CREATE TABLE notes(text); CREATE INDEX n ON notes(text); ANALYZE")
    _ = try SQLiteStore.inFile(path)
  }

  @Test(arguments: [1, 100, 1_000, 4_095, 4_096, 8_192, 20_000])
  func `rejects a truncated file and leaves it unchanged`(_ size: Int) throws {
    do { try SQLiteStore.inFile(path).insert((0..<50).map { _ in .new(SampleSchema.item) }) }
    let whole = try content()
    try whole.prefix(size).write(to: URL(filePath: path))
    let found = code {
      let store = try SQLiteStore.inFile(path)
      _ = try store.fetch(StoreQuery(entity: "Item"))
    }
    #expect(found == .storeDamaged || found == .storeNotTrusted || found == .io)
    #expect(try content() == whole.prefix(size))
  }

  @Test func `of a file with flipped bytes reads the right rows or reports an error`() throws {
    let expected = try {
      let store = try SQLiteStore.inFile(path)
      try store.insert((0..<20).map { .new(SampleSchema.trip, ["days": .integer($0)]) })
      return try store.fetch(StoreQuery(entity: "Trip"))
    }()
    let whole = try content()
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<60 {
      var damaged = whole
      for _ in 0..<4 {
        let offset = Int.random(in: 0..<damaged.count, using: &generator)
        damaged[offset] = UInt8.random(in: 0...255, using: &generator)
      }
      try damaged.write(to: URL(filePath: path))
      do {
        let store = try SQLiteStore.inFile(path)
        let rows = try store.fetch(StoreQuery(entity: "Trip"))
        if rows != expected { #expect(try store.verify() != []) }
      } catch {
        #expect(error is DataStoreError)
      }
    }
  }

  @Test func `fails as busy while another connection writes`() throws {
    let store = try SQLiteStore.inFile(path)
    try store.whileWriting {
      #expect(code { _ = try SQLiteStore.inFile(path) } == .storeBusy)
    }
    _ = try SQLiteStore.inFile(path)
  }

  @Test func `of a file that is moved later makes reads and saves fail`() throws {
    let store = try SQLiteStore.inFile(path)
    try store.insert([.new(SampleSchema.item)])
    try FileManager.default.moveItem(atPath: path, toPath: folder.path("moved.db"))
    #expect(code { try store.insert([.new(SampleSchema.item)]) } == .storeReplaced)
    #expect(code { _ = try store.count(StoreQuery(entity: "Item")) } == .storeReplaced)
  }
}
