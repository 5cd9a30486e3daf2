import CSQLite
import Foundation
import Testing

@testable import SQLiteStore

@Suite("A SQLite connection")
struct ConnectionTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func open(
    _ path: String,
    role: ConnectionOptions.Role = .writer,
    busyTimeout: Int32 = 50
  ) throws -> Connection {
    let connection = try Connection(
      ConnectionOptions(location: .file(path), role: role, busyTimeout: busyTimeout)
    )
    if role == .writer { try connection.enterWAL() }
    return connection
  }

  private func kind(of body: () throws -> Void) -> SQLiteError.Kind? {
    do {
      try body()
      return nil
    } catch let error as SQLiteError {
      return error.kind
    } catch {
      return nil
    }
  }

  @Test(arguments: [
    ("PRAGMA journal_mode", "wal"), ("PRAGMA synchronous", "2"),
    ("PRAGMA wal_autocheckpoint", "0"), ("PRAGMA foreign_keys", "1"),
    ("PRAGMA cell_size_check", "1"), ("PRAGMA mmap_size", "0"), ("PRAGMA trusted_schema", "0"),
    ("PRAGMA busy_timeout", "50"), ("PRAGMA temp_store", "2"),
  ])
  func `has the settings of the write protocol`(_ pragma: String, _ value: String) throws {
    let connection = try open(folder.emptyFile("a.db"))
    #expect(try connection.text(pragma) == value)
  }

  @Test(arguments: [
    (ConnectionOptions.Synchronous.full, "2"), (.normal, "1"), (.off, "0"),
  ])
  func `has the synchronous setting of its durability`(
    _ level: ConnectionOptions.Synchronous,
    _ value: String
  ) throws {
    let path = try folder.emptyFile("a.db")
    let connection = try Connection(
      ConnectionOptions(location: .file(path), synchronous: level)
    )
    #expect(try connection.text("PRAGMA synchronous") == value)
  }

  @Test func `can be closed again after a failure has closed it`() throws {
    let connection = try Connection(ConnectionOptions(location: .memory))
    connection.close()
    connection.allowCheckpointAtClose()
    connection.close()
    #expect(throws: SQLiteError.self) { try connection.text("SELECT 1") }
  }

  @Test func `does not treat double-quoted names as strings`() throws {
    let connection = try Connection(ConnectionOptions(location: .memory))
    #expect(throws: SQLiteError.self) { try connection.text("SELECT \"nothing\"") }
  }

  @Test(arguments: [
    "ATTACH ':memory:' AS other",
    "INSERT INTO sqlite_master VALUES('table','x','x',0,'')",
    "SELECT load_extension('x')",
  ])
  func `refuses statements that only an attacker would use`(_ sql: String) throws {
    let connection = try Connection(ConnectionOptions(location: .memory))
    #expect(throws: SQLiteError.self) { try connection.execute(sql) }
  }

  @Test func `keeps its journal mode and protects its schema against any statement`() throws {
    let connection = try open(folder.emptyFile("a.db"))
    try connection.execute("PRAGMA writable_schema = ON")
    #expect(throws: SQLiteError.self) {
      try connection.execute("UPDATE sqlite_master SET sql = ''")
    }
    #expect(try connection.text("PRAGMA journal_mode = OFF") == "wal")
  }

  @Test func `does not follow a symbolic link`() throws {
    _ = try folder.emptyFile("a.db")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link.db"),
      withDestinationPath: folder.path("a.db")
    )
    #expect(kind { _ = try open(folder.path("link.db")) } == .cannotOpen)
  }

  @Test func `does not create a file`() throws {
    #expect(kind { _ = try open(folder.path("none.db")) } == .cannotOpen)
    #expect(!FileManager.default.fileExists(atPath: folder.path("none.db")))
  }

  @Test func `reports that a file is not a database`() throws {
    let content = Data(String(repeating: "not a database\n", count: 400).utf8)
    try content.write(to: folder.url.appending(path: "a.db"))
    #expect(kind { _ = try open(folder.path("a.db")) } == .notADatabase)
    #expect(try Data(contentsOf: folder.url.appending(path: "a.db")) == content)
  }

  @Test func `runs no triggers or views of the file`() throws {
    let path = try folder.emptyFile("a.db")
    var raw: OpaquePointer?
    sqlite3_open(path, &raw)
    sqlite3_exec(
      raw,
      """
      CREATE TABLE t(a); CREATE TABLE secret(b); INSERT INTO secret VALUES (1);
      CREATE VIEW v AS SELECT * FROM secret;
      CREATE TRIGGER x AFTER INSERT ON t BEGIN DELETE FROM secret; END;
      """,
      nil,
      nil,
      nil
    )
    sqlite3_close(raw)
    let connection = try open(path)
    try connection.execute("INSERT INTO t VALUES (1)")
    #expect(try connection.integer("SELECT count(*) FROM secret") == 1)
    #expect(throws: SQLiteError.self) { try connection.integer("SELECT * FROM v") }
  }

  @Test func `rolls back a failed write and stays usable`() throws {
    let connection = try Connection(ConnectionOptions(location: .memory))
    try connection.execute("CREATE TABLE t(a INTEGER PRIMARY KEY)")
    let failed = kind {
      try connection.transaction {
        try connection.execute("INSERT INTO t VALUES (1)")
        try connection.execute("INSERT INTO t VALUES (1)")
      }
    }
    #expect(failed == .constraint)
    #expect(connection.isInAutocommit)
    #expect(!connection.isUnusable)
    #expect(try connection.integer("SELECT count(*) FROM t") == 0)
  }

  @Test func `is busy while another one writes`() throws {
    let path = try folder.emptyFile("a.db")
    let first = try open(path)
    let second = try open(path)
    try first.execute("CREATE TABLE t(a)")
    try first.transaction {
      try first.execute("INSERT INTO t VALUES (1)")
      #expect(kind { try second.transaction {} } == .busy)
    }
    try second.transaction { try second.execute("INSERT INTO t VALUES (2)") }
    #expect(try first.integer("SELECT count(*) FROM t") == 2)
  }

  @Test func `reads one state for the duration of a snapshot`() throws {
    let path = try folder.emptyFile("a.db")
    let writer = try open(path)
    try writer.execute("CREATE TABLE t(a)")
    let reader = try open(path, role: .reader)
    try reader.snapshot {
      #expect(try reader.integer("SELECT count(*) FROM t") == 0)
      try writer.execute("INSERT INTO t VALUES (1)")
      #expect(try reader.integer("SELECT count(*) FROM t") == 0)
    }
    #expect(try reader.integer("SELECT count(*) FROM t") == 1)
  }

  @Test func `for reading cannot write`() throws {
    let path = try folder.emptyFile("a.db")
    let writer = try open(path)
    try writer.execute("CREATE TABLE t(a)")
    let reader = try open(path, role: .reader)
    #expect(kind { try reader.execute("INSERT INTO t VALUES (1)") } == .readOnly)
  }

  @Test func `empties its log only on request`() throws {
    let path = try folder.emptyFile("a.db")
    let writer = try open(path)
    try writer.execute("CREATE TABLE t(a)")
    for _ in 0..<20 { try writer.execute("INSERT INTO t VALUES (zeroblob(400000))") }
    #expect(writer.logPageCount > 1_500)
    #expect(writer.checkpoint())
    let attributes = try FileManager.default.attributesOfItem(atPath: path + "-wal")
    #expect(attributes[.size] as? Int == 0)
  }

  @Test func `does not wait for readers to empty its log`() throws {
    let path = try folder.emptyFile("a.db")
    let writer = try open(path, busyTimeout: 600_000)
    try writer.execute("CREATE TABLE t(a)")
    let reader = try open(path, role: .reader)
    try reader.snapshot {
      _ = try reader.integer("SELECT count(*) FROM t")
      try writer.execute("INSERT INTO t VALUES (1)")
      #expect(!writer.checkpoint())
    }
    #expect(writer.checkpoint())
    #expect(!writer.isUnusable)
  }

  @Test func `does nothing after it is closed`() throws {
    let connection = try Connection(ConnectionOptions(location: .memory))
    connection.close()
    connection.close()
    #expect(throws: SQLiteError.self) { try connection.execute("SELECT 1") }
  }
}
