import CSQLite
import CoreDataFiles
import CoreDataTestSupport
import Foundation
import StoreTestSupport

/// A file as Core Data writes it, made by SQL.
struct SourceFile {
  let folder: TemporaryFolder
  let url: URL

  /// Copies one of the files beside the tests, with its log.
  init(copying name: String, withLog: Bool = true) throws {
    folder = try TemporaryFolder()
    url = folder.file("\(name).sqlite")
    let files = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Files")
    for ending in withLog ? [".sqlite", ".sqlite-wal"] : [".sqlite"] {
      let file = files.appending(path: name + ending)
      guard FileManager.default.fileExists(atPath: file.path) else { continue }
      try FileManager.default.copyItem(at: file, to: folder.file(name + ending))
    }
  }

  /// Writes a file with a model and the tables and rows that SQL makes.
  ///
  /// - Parameters:
  ///   - model: The model; its entities are numbered parents first, by name.
  ///   - cache: Whether the file has the model.
  ///   - sql: The tables of the entities with their rows.
  /// - Throws: What SQLite and Foundation throw.
  init(_ model: ManagedModel, cache: Bool = true, _ sql: String) throws {
    folder = try TemporaryFolder()
    url = folder.file("Model.sqlite")
    var writer = PropertyListWriter()
    let hashes = writer.add(model.entities.map { ($0.name, writer.add(.data([1, 2, 3]))) })
    let identifiers = writer.add(.array(model.versionIdentifiers.map { writer.add(.string($0)) }))
    let secret = writer.add(.string("a token of the program"))
    let root = writer.add([
      ("NSStoreModelVersionHashes", hashes), ("NSStoreModelVersionIdentifiers", identifiers),
      ("token", secret),
    ])
    let metadata = Self.literal(writer.bytes(root: root))
    let archive = Self.literal(deflated(ModelWriter.archive(model)))
    try run(
      """
      PRAGMA journal_mode = WAL;
      CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
      CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
      CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
      CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, ZTIMESTAMP TIMESTAMP);
      CREATE TABLE ANSCKEVENT (Z_PK INTEGER PRIMARY KEY);
      INSERT INTO Z_METADATA VALUES (1, 'C0FFEE00-0000-4000-8000-000000000000', \(metadata));
      INSERT INTO Z_MODELCACHE VALUES (\(cache ? archive : "NULL"));
      """
    )
    for (number, name, parent) in Self.numbers(model) {
      try run("INSERT INTO Z_PRIMARYKEY VALUES (\(number), '\(name)', \(parent), 0)")
    }
    try run(sql)
  }

  /// Runs statements, and a body before the connection is closed.
  func run(_ sql: String, _ body: () throws -> Void = {}) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    guard sqlite3_open(url.path, &handle) == SQLITE_OK,
      sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK
    else { throw SQLFailure(reason: String(cString: sqlite3_errmsg(handle)), sql: sql) }
    try body()
  }

  struct SQLFailure: Error {
    let reason: String
    let sql: String
  }

  /// The bytes of all files in the folder, by path, hidden ones included.
  func bytes() throws -> [String: Data] {
    let paths = FileManager.default.enumerator(atPath: folder.url.path)?.compactMap {
      $0 as? String
    }
    var result: [String: Data] = [:]
    for path in paths ?? [] { result[path] = try? Data(contentsOf: folder.file(path)) }
    return result
  }

  /// Numbers as Core Data gives them: roots and children by name, children after their parent.
  private static func numbers(_ model: ManagedModel) -> [(Int, String, Int)] {
    var result: [(Int, String, Int)] = []
    func visit(_ entity: ManagedModel.Entity, parent: Int) {
      let number = result.count + 1
      result.append((number, entity.name, parent))
      for child in model.entities where child.superentity == entity.name {
        visit(child, parent: number)
      }
    }
    for root in model.entities where root.superentity == nil { visit(root, parent: 0) }
    return result
  }

  /// Bytes as SQL has them.
  static func literal(_ bytes: [UInt8]) -> String {
    "x'\(bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())'"
  }
}
