import CSQLite
import Foundation
import SQLiteStore
import StoreProtocol
import Testing

@Suite("A path to a file that is not a store")
struct ForeignFileTests {
  /// A kind of file that a wrong path may name.
  enum Found: CaseIterable {
    case text, database, databaseWithLog, halfWritten

    func make(at path: String) throws {
      switch self {
      case .text: try Data("hello\n".utf8).write(to: URL(filePath: path))
      case .database: try OtherProgram.run(path, ForeignFileTests.notes)
      case .databaseWithLog:
        try copy(path, "PRAGMA journal_mode = WAL; " + ForeignFileTests.notes, ["", "-wal"])
      case .halfWritten:
        let sql = ForeignFileTests.notes + "; PRAGMA cache_size = 2; BEGIN; "
        try copy(path, sql + "UPDATE notes SET text = upper(text)", ["", "-journal"])
      }
    }

    /// Creates a database in the state after a kill during some statements.
    private func copy(_ path: String, _ sql: String, _ suffixes: [String]) throws {
      let folder = try TemporaryFolder()
      let source = folder.path("a.db")
      var connection: OpaquePointer?
      defer { sqlite3_close(connection) }
      #expect(sqlite3_open(source, &connection) == SQLITE_OK)
      #expect(sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK)
      for suffix in suffixes {
        try FileManager.default.copyItem(atPath: source + suffix, toPath: path + suffix)
      }
    }
  }

  static let notes =
    "CREATE TABLE notes(text); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
    + " WHERE i < 200) INSERT INTO notes SELECT hex(zeroblob(500)) || 'x' FROM n"

  private func contents(_ folder: TemporaryFolder) throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    return try .init(
      uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: URL(filePath: folder.path($0)))) }
    )
  }

  @Test(arguments: Found.allCases, [true, false])
  func `is refused, and all files stay unchanged`(
    _ found: Found,
    allowsSave: Bool
  ) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.db")
    try found.make(at: path)
    let before = try contents(folder)
    let error = try #require(throws: DataStoreError.self) {
      try SQLiteStore.inFile(path, allowsSave: allowsSave)
    }
    #expect(error == (found == .text ? .storeDamaged : .storeNotTrusted))
    #expect(try contents(folder) == before)
    #expect(throws: DataStoreError.self) {
      try SQLiteStore.beginMigration(
        of: SQLiteStoreConfiguration(
          schema: Schema(storeSchema: SampleSchema.store),
          url: URL(filePath: path)
        )
      )
    }
    #expect(try contents(folder) == before)
  }

  @Test func `names a file that SQLite would change by opening it`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.db")
    try Found.halfWritten.make(at: path)
    let before = try contents(folder)
    try OtherProgram.read(path)
    #expect(try contents(folder) != before)
  }

  @Test func `gets no lock file if no store exists or is created`() throws {
    let folder = try TemporaryFolder()
    #expect(throws: DataStoreError.self) { try SQLiteStore.inFile(folder.path("a.db"), nil) }
    #expect(throws: DataStoreError.storeNotTrusted) { try SQLiteStore.inFile("/dev/null") }
    #expect(try contents(folder).isEmpty)
    #expect(!FileManager.default.fileExists(atPath: "/dev/null.lock"))
  }

  @Test func `is distinguished from a store whose rows are only in its log`() throws {
    let sample = try OpenSample()
    let store = try sample.open()
    try OpenSample.save(store, "1")
    #expect(try sample.titlesAfterKill() == ["1"])
    withExtendedLifetime(store) {}
  }

  @Test(.enabled(if: getuid() == 0, "mounts need root"))
  func `is refused if the file is mounted without its folder`() async throws {
    let sample = try OpenSample()
    do { try OpenSample.save(sample.open(), "1") }
    await #expect(processExitsWith: .success) { [path = sample.path as String] in
      let other = path + "-mounted.db"
      #expect(FileManager.default.createFile(atPath: other, contents: nil))
      try mountAlone(path, at: other)
      let error = try #require(throws: DataStoreError.self) { try SQLiteStore.inFile(other) }
      #expect(error == .storeNotTrusted)
      #expect(error.message.contains("folder that contains it"))
      #expect(!FileManager.default.fileExists(atPath: other + ".lock"))
      #expect(try OpenSample.titles(SQLiteStore.inFile(path)) == ["1"])
    }
  }
}

/// Mounts a file on another one, only for this thread.
private func mountAlone(_ path: String, at other: String) throws {
  typealias Unshare = @convention(c) (CInt) -> CInt
  typealias Mount =
    @convention(c) (
      UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafePointer<CChar>?, CUnsignedLong,
      UnsafeRawPointer?
    ) -> CInt
  let library = dlopen(nil, RTLD_NOW)
  let unshare = unsafeBitCast(try #require(dlsym(library, "unshare")), to: Unshare.self)
  let mount = unsafeBitCast(try #require(dlsym(library, "mount")), to: Mount.self)
  // A separate namespace, whose mounts are not visible elsewhere.
  try #require(unshare(0x20000) == 0)
  try #require(mount("none", "/", nil, 0x44000, nil) == 0)
  try #require(mount(path, other, nil, 0x1000, nil) == 0)
}
