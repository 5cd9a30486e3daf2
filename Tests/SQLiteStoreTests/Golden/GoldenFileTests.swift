import CSQLite
import Foundation
import SQLTranslation
import StoreProtocol
import Testing

@testable import SQLiteStore

@Suite("A golden store of each format")
struct GoldenFileTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("store.db")
  }

  /// Copies the files, because an opened store creates others beside them.
  private func copyGolden(_ format: Int64) throws {
    for name in ["store.db", "store.db.files"] {
      try FileManager.default.copyItem(
        at: GoldenSample.folder(format).appending(path: name),
        to: folder.url.appending(path: name)
      )
    }
  }

  private func check(_ store: SQLiteStore, _ format: Int64) throws {
    for expected in GoldenSample.rows(in: store.identifier, format) {
      var query = StoreQuery.rows(
        [expected.persistentIdentifier],
        of: expected.persistentIdentifier.entityName
      )
      query.properties = store.catalog.map.schema
        .entity(named: expected.persistentIdentifier.entityName)?.properties.map(\.name)
      let row = try #require(try store.fetch(query).first)
      #expect(row.persistentIdentifier == expected.persistentIdentifier)
      #expect(row.values == expected.values, "\(expected.persistentIdentifier)")
      #expect(row.version == 1)
    }
  }

  /// A way to open a store of a format.
  struct Opening: CustomTestStringConvertible, Sendable {
    let format: Int64
    let hasSchema: Bool
    let allowsSave: Bool

    static let all = ([1, 2, 3, 4, 5] as [Int64]).flatMap { format in
      [false, true].flatMap { hasSchema in
        [false, true].map { Opening(format: format, hasSchema: hasSchema, allowsSave: $0) }
      }
    }

    var testDescription: String {
      "format \(format), \(hasSchema ? "with" : "without") a schema, "
        + (allowsSave ? "to save" : "to read")
    }
  }

  @Test(arguments: Opening.all)
  func `is read exactly, with the program's schema or its own`(
    opening: Opening
  ) throws {
    let (hasSchema, allowsSave) = (opening.hasSchema, opening.allowsSave)
    try copyGolden(opening.format)
    let store = try SQLiteStore.inFile(
      path,
      hasSchema ? GoldenSample.schema(opening.format) : nil,
      allowsSave: allowsSave
    )
    let rows = GoldenSample.rows(in: store.identifier, opening.format)
    #expect(store.schema.storeSchema == GoldenSample.schema(opening.format))
    try check(store, opening.format)
    #expect(try store.verify() == [])
    // A store without history has its cut at the last save, however it is opened.
    let counts = try store.transactions(StoreHistoryQuery()).map(\.changes.count)
    #expect(counts == (opening.format == 1 ? [] : [rows.count]))
    let bounds = try store.historyBounds()
    #expect(bounds.cut == (opening.format == 1 ? 1 : 0))
    // The registration of the reader is a save as well.
    #expect(bounds.last == (opening.format < 4 ? 1 : 2))
    let derived = UUID(ofSave: 1, in: store.identifier)
    #expect(bounds.lastSave == (opening.format < 4 ? derived : GoldenSample.save))
    #expect(
      try store.transactions(StoreHistoryQuery()).map(\.saveIdentifier).allSatisfy {
        $0 == bounds.lastSave
      }
    )
    #expect(try store.historyReaders() == (opening.format < 4 ? [] : [GoldenSample.reader]))
  }

  @Test(arguments: [1, 2, 3, 4, 5] as [Int64])
  func `accepts saves, and keeps its rows unchanged`(format: Int64) throws {
    try copyGolden(format)
    let store = try SQLiteStore.withFiles(path, GoldenSample.schema(format))
    let count = GoldenSample.rows(in: store.identifier, format).count
    let new = try store.insert([
      .new(GoldenSample.animal, ["name": .string("Eel"), "photo": FileSample.data(300)])
    ])
    #expect(new.map(\.integerKey) == [Int64(count + 1)])
    #expect(try store.transactions(StoreHistoryQuery()).last?.changes.map(\.identifier) == new)
    #expect(throws: DataStoreError.self) {
      // The name exists in another Unicode form.
      try store.insert([
        .new(GoldenSample.dog, ["name": .string("\u{E9}"), "chip": .integer(7)])
      ])
    }
    #expect(try store.verify() == [])
    _ = try store.apply(StoreChanges(deleted: new))
    try store.compact()
    try check(store, format)
    #expect(try store.verify() == [])
  }

  // If it fails, the format has changed, and so must its number. OPENSWIFTDATA_GOLDEN=FOLDER keeps
  // the created store, for the golden files of that number.
  @Test func `equals the output of the current build, by statements and values`() throws {
    let made = try TemporaryFolder()
    try GoldenSample.make(made.path("store.db"))
    let dump = try Self.dump(made.path("store.db"))
    if let target = ProcessInfo.processInfo.environment["OPENSWIFTDATA_GOLDEN"] {
      try FileManager.default.copyItem(atPath: made.url.path, toPath: target)
      try Data(dump.utf8).write(to: URL(filePath: target).appending(path: "store.sql"))
    }
    #expect(try dump == Self.golden(5))
    #expect(FileFormat.current == 5)
  }

  @Test(arguments: [1, 2, 3, 4, 5] as [Int64])
  func `equals its recorded dump`(format: Int64) throws {
    try copyGolden(format)
    #expect(try Self.dump(path) == Self.golden(format))
  }

  private static func golden(_ format: Int64) throws -> String {
    let file = GoldenSample.folder(format).appending(path: "store.sql")
    return String(decoding: try Data(contentsOf: file), as: UTF8.self)
  }

  /// Returns the statements that create the tables, and the rows as literals without random values.
  private static func dump(_ path: String) throws -> String {
    let connection = try Connection(ConnectionOptions(location: .file(path)))
    defer { connection.close() }
    var lines: [String] = []
    var tables: [String] = []
    try connection.withStatement(
      "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type DESC, name"
    ) {
      while try $0.step() {
        let name = $0.text(at: 1) ?? ""
        // A full-text index has internal tables of SQLite.
        let isInner = name.hasPrefix("words ") && !name.hasSuffix(")")
        if !isInner { lines.append("\($0.text(at: 2) ?? "");") }
        if $0.text(at: 0) == "table", !name.hasPrefix("words ") { tables.append(name) }
      }
    }
    for table in tables { lines += try rows(of: table, on: connection) }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func rows(of table: String, on connection: Connection) throws -> [String] {
    let condition = table == "OpenSwiftData" ? " WHERE key <> 'identifier'" : ""
    let name = SQLIdentifier.quotedComposite(table)
    // The date and the process of a save differ each time.
    let added = try HistoryTable.hasSaves(on: connection) ? ", save, origin" : ""
    let columns = table == "_history" ? "number, author, changes\(added)" : "*"
    return try connection.withStatement(
      "SELECT \(columns) FROM \(name)\(condition) ORDER BY 1, 2"
    ) {
      var lines: [String] = []
      let count = Int(sqlite3_column_count($0.handle))
      while try $0.step() {
        let statement = $0
        let row = (0..<count).map { literal(statement.value(at: $0)) }
        lines.append("INSERT INTO \(name) VALUES(\(row.joined(separator: ",")));")
      }
      return lines.map(withoutNames)
    }
  }

  /// SQLite's own `quote` formats numbers differently from version to version.
  private static func literal(_ value: SQLValue) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text): SQLText.literal(text)
    case .blob(let data): "X'" + data.map { String(format: "%02X", $0) }.joined() + "'"
    }
  }

  /// Replaces the random names of files, in strings and in the hexadecimal digits of blobs.
  private static func withoutNames(_ line: String) -> String {
    line.replacing(/"\$file":"[0-9a-f]{32}"/, with: "\"$file\":\"…\"")
      .replacing(/(?:3[0-9]|6[1-6]){32}/.ignoresCase(), with: "…")
  }
}
