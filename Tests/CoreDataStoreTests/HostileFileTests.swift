import CoreDataFiles
import CoreDataTestSupport
import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@testable import CoreDataStore

@Suite("Damaged and hostile files of Core Data")
struct HostileFileTests {
  /// Opens a file and reads all its rows, and expects no errors except those of damaged files.
  private func read(_ url: URL) throws {
    var configuration = CoreDataStoreConfiguration(url: url)
    configuration.unreadableValues = .omit
    do {
      _ = try CoreDataStore(configuration).survey()
    } catch let error as DataStoreError {
      #expect([.storeDamaged, .storeNotTrusted].contains(error), "\(error)")
    }
  }

  @Test(arguments: ["ddg-Bookmarks_V1", "ddg-SyncMetadata_V3", "plaso-DataUsage"])
  func `a file with random damaged bytes is read or refused without a crash`(_ name: String) throws
  {
    let file = try SourceFile(copying: name)
    let bytes = try Data(contentsOf: file.url)
    var generator = SeededGenerator(seed: 29)
    for _ in 0..<150 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...20, using: &generator) {
        damaged[Int.random(in: bytes.indices, using: &generator)] = .random(
          in: 0...255,
          using: &generator
        )
      }
      try damaged.write(to: file.url)
      try read(file.url)
    }
  }

  @Test(arguments: ["ddg-Bookmarks_V1", "ddg-SyncMetadata_V3"])
  func `a damaged write-ahead log is read or refused without a crash`(_ name: String) throws {
    let file = try SourceFile(copying: name)
    let log = URL(filePath: file.url.path + "-wal")
    let bytes = try Data(contentsOf: log)
    var generator = SeededGenerator(seed: 30)
    for _ in 0..<60 {
      var damaged = bytes.prefix(Int.random(in: 0...bytes.count, using: &generator))
      for _ in 0..<4 where !damaged.isEmpty {
        damaged[Int.random(in: damaged.indices, using: &generator)] = .random(
          in: 0...255,
          using: &generator
        )
      }
      try Data(damaged).write(to: log)
      try read(file.url)
    }
  }

  @Test func `a truncated file is read or refused without a crash`() throws {
    let file = try SourceFile(copying: "ddg-SyncMetadata_V3")
    let bytes = try Data(contentsOf: file.url)
    for count in stride(from: 0, to: bytes.count, by: bytes.count / 40) {
      try bytes.prefix(count).write(to: file.url)
      try read(file.url)
    }
  }

  @Test func `a model in which an entity inherits from itself is refused`() throws {
    var first = ManagedModel.Entity(name: "First")
    first.superentity = "First"
    let file = try SourceFile(ManagedModel(entities: [first]), "")
    let error = #expect(throws: DataStoreError.self) { try CoreDataStore(.init(url: file.url)) }
    #expect(error == .storeDamaged)
    let cause = "\(error?.cause as Any)"
    #expect(cause.contains("inherits from itself"))
  }

  @Test func `a model that exceeds the limit when it is decompressed is refused`() throws {
    let file = try SourceFile.hierarchy()
    let large = deflated([UInt8](repeating: 0, count: ReadingLimits().size + 1))
    try file.run("UPDATE Z_MODELCACHE SET Z_CONTENT = \(SourceFile.literal(large))")
    let error = #expect(throws: DataStoreError.self) { try CoreDataStore(.init(url: file.url)) }
    #expect(error == .storeDamaged)
    let cause = "\(error?.cause as Any)"
    #expect(cause.contains("exceeds"))
  }

  @Test func `the largest key is refused, and rows of unknown entities are ignored`() throws {
    let file = try SourceFile.hierarchy()
    try file.run("UPDATE ZBOOK SET Z_PK = 9223372036854775807 WHERE Z_PK = 4")
    let store = try CoreDataStore(.init(url: file.url))
    let error = #expect(throws: DataStoreError.self) { try store.fetch(StoreQuery(entity: "Book")) }
    #expect(error == .storeDamaged)
    try file.run("UPDATE ZBOOK SET Z_PK = 4, Z_ENT = 77 WHERE Z_PK = 9223372036854775807")
    let again = try CoreDataStore(.init(url: file.url))
    // Rows of an entity that the model lacks are ignored.
    #expect(try again.count(StoreQuery(entity: "Book")) == 3)
  }

  @Test func `a model with random damaged bytes is read or refused without a crash`() throws {
    let file = try SourceFile.hierarchy()
    let archive = ModelWriter.archive(SourceFile.hierarchyModel)
    var generator = SeededGenerator(seed: 31)
    for _ in 0..<150 {
      var damaged = archive
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        damaged[Int.random(in: damaged.indices, using: &generator)] = .random(
          in: 0...255,
          using: &generator
        )
      }
      let cache = SourceFile.literal(deflated(damaged))
      try file.run("UPDATE Z_MODELCACHE SET Z_CONTENT = \(cache)")
      try read(file.url)
    }
  }

  @Test func `a table whose pages share their children is refused as damaged`() throws {
    let file = try SourceFile.hierarchy()
    let rows = (10..<4_000).map { "(\($0), 2, 1, 7, NULL)" }.joined(separator: ", ")
    try file.run("INSERT INTO ZPAGE VALUES \(rows); PRAGMA wal_checkpoint(TRUNCATE)")
    var bytes = [UInt8](try Data(contentsOf: file.url))
    let size = Int(bytes[16]) << 8 | Int(bytes[17])
    var damaged = 0
    for start in stride(from: size, to: bytes.count, by: size) where bytes[start] == 5 {
      // An interior page of a table: all children become the last one.
      let last = Array(bytes[start + 8..<start + 12])
      let count = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
      for cell in 0..<count {
        let pointer = start + 12 + 2 * cell
        let offset = start + (Int(bytes[pointer]) << 8 | Int(bytes[pointer + 1]))
        bytes.replaceSubrange(offset..<offset + 4, with: last)
        damaged += 1
      }
    }
    #expect(damaged > 3)
    try Data(bytes).write(to: file.url)
    let store = try CoreDataStore(.init(url: file.url))
    #expect(throws: DataStoreError.storeDamaged) { try store.fetch(StoreQuery(entity: "Page")) }
    try read(file.url)
  }

  @Test func `a statement that returns one row for pages without end is stopped`() throws {
    let file = try SourceFile.hierarchy()
    let rows = (10..<4_000).map { "(\($0), 2, 1, 7, NULL)" }.joined(separator: ", ")
    try file.run("INSERT INTO ZPAGE VALUES \(rows); PRAGMA wal_checkpoint(TRUNCATE)")
    var bytes = [UInt8](try Data(contentsOf: file.url))
    let size = Int(bytes[16]) << 8 | Int(bytes[17])
    let starts = Array(stride(from: size, to: bytes.count, by: size))
    // The table has the only interior page, and most of the leaves.
    let root = try #require(starts.first { bytes[$0] == 5 })
    let leaves = starts.filter {
      bytes[$0] == 13 && Int(bytes[$0 + 3]) << 8 | Int(bytes[$0 + 4]) > 100
    }
    #expect(leaves.count > 3)
    /// Makes a page an interior one whose 401 children are all the same page.
    func write(_ start: Int, child: Int) {
      let number = bigEndian(child / size + 1, 4)
      let offsets = (1...400).map { size - 5 * $0 }
      let header = [5, 0, 0] + bigEndian(400, 2) + bigEndian(offsets[399], 2) + [0] + number
      let page = header + offsets.flatMap { bigEndian($0, 2) }
      bytes.replaceSubrange(start..<start + page.count, with: page)
      for offset in offsets {
        bytes.replaceSubrange(start + offset..<start + offset + 5, with: number + [1])
      }
    }
    write(root, child: leaves[0])
    write(leaves[0], child: leaves[1])
    try Data(bytes).write(to: file.url)
    let store = try CoreDataStore(.init(url: file.url))
    // No number of rows bounds it: 50 million are read, and one is returned.
    let error = #expect(throws: DataStoreError.self) {
      try store.count(StoreQuery(entity: "Page"))
    }
    #expect(error == .storeDamaged && error?.message.contains("more steps") == true)
  }

  @Test func `the steps of each statement are counted from zero`() throws {
    let file = try SourceFile.hierarchy()
    let reader = try SourceReader(file.url, isSource: false, path: file.url.path)
    // More than half of what a small file allows.
    let sql = """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000000)
      SELECT count(*) FROM n
      """
    for _ in 1...2 { #expect(try reader.rows(sql) { $0.integer(0) } == [4_000_000]) }
  }

  @Test func `names and links cannot reference files outside the external folder`() async throws {
    let file = try SourceFile.photographs()
    let secret = file.folder.file("secret")
    try Data("secret".utf8).write(to: secret)
    let names = ["../../secret", "/etc/hostname", "..", String(repeating: "A", count: 36)]
    for name in names {
      let bytes = SourceFile.literal([2] + [UInt8](name.utf8) + [0])
      try file.run("UPDATE ZTHING SET ZPHOTO = \(bytes) WHERE Z_PK = 2")
      let store = try CoreDataStore(.init(url: file.url))
      let value = try store.fetch(StoreQuery(entity: "Thing")).last?["photo"]
      // Bytes in neither form are kept unchanged.
      #expect(value == .data(Data([2] + [UInt8](name.utf8) + [0])))
    }
    let link = SourceFile.literal([2] + [UInt8](SourceFile.externalName.utf8) + [0])
    try file.run("UPDATE ZTHING SET ZPHOTO = \(link) WHERE Z_PK = 2")
    let folder = ExternalReference.folder(of: file.url)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      at: folder.appending(path: SourceFile.externalName),
      withDestinationURL: secret
    )
    let error = #expect(throws: DataStoreError.self) {
      try CoreDataStore(.init(url: file.url)).fetch(StoreQuery(entity: "Thing"))
    }
    #expect(error?.message.contains("is a link") == true)
  }

  /// Files below a megabyte that would expand to more memory than the process may use.
  private static func bombs() throws -> [(String, SourceFile)] {
    let compressed = try SourceFile.hierarchy()
    let large = deflated([UInt8](repeating: 0, count: ReadingLimits().size + 1))
    try compressed.run("UPDATE Z_MODELCACHE SET Z_CONTENT = \(SourceFile.literal(large))")
    // Each array contains the previous array ten times.
    var archive = ArchiveWriter()
    var last = archive.add(array: [archive.add(.string("x"))])
    for _ in 0..<9 { last = archive.add(array: [Int](repeating: last, count: 10)) }
    let nested = try SourceFile.things()
    let bytes = SourceFile.literal(archive.bytes(root: last))
    try nested.run("UPDATE ZTHING SET ZWORDS = \(bytes)")
    let deep = try SourceFile.things()
    let json = String(repeating: "[", count: 100_000)
    try deep.run(
      "UPDATE ZTHING SET ZTAGS = CAST('\(json)' AS BLOB), ZWORDS = CAST('\(json)' AS BLOB)"
    )
    let generated = try SourceFile(
      SourceFile.hierarchyModel,
      """
      CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR,
        ZTITLE VARCHAR, ZTITLE1 VARCHAR);
      CREATE TABLE ZBOOK (Z_PK INTEGER PRIMARY KEY, Z_ENT AS (zeroblob(900000000)), Z_OPT INTEGER,
        ZAUTHOR INTEGER, ZOWNER INTEGER, ZTITLE VARCHAR);
      CREATE TABLE ZPAGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, ZNUMBER INTEGER, Z1PAGES INTEGER);
      CREATE TABLE Z_3FRIENDS (Z_3FRIENDOF INTEGER, Z_3FRIENDS INTEGER);
      INSERT INTO ZBOOK (Z_PK, ZTITLE) VALUES (1, 'x');
      """
    )
    return [
      ("compressed", compressed), ("nested", nested), ("deep", deep), ("generated", generated),
    ]
  }

  @Test func `small files that expand to large data are refused in little memory`() async throws {
    for (name, file) in try Self.bombs() {
      let tool = Self.products.appending(path: "storectl").path
      let process = Foundation.Process()
      process.executableURL = URL(filePath: "/bin/sh")
      // The process's limit in kilobytes; exceeding it ends the process with a signal.
      process.arguments = [
        "-c", "ulimit -d 262144; exec \"$0\" \"$@\"", tool, "import", "coredata:\(file.url.path)",
        "--dry-run",
      ]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationReason == .exit, "\(name)")
      // Bytes that are not an archive are kept unchanged.
      #expect(process.terminationStatus == (name == "deep" ? 0 : 1), "\(name)")
    }
  }

  /// The folder of the programs, which are built beside the tests.
  private static let products = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
}

/// Returns the lower bytes of a number, most significant byte first.
private func bigEndian(_ number: Int, _ count: Int) -> [UInt8] {
  (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
}
