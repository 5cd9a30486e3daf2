import SQLTranslation
import StoreProtocol

/// Compares a file's tables and indexes with those that its schema requires.
///
/// The file may come from anyone. Everything that SQLite would run or obey and the store did not
/// make is refused: triggers, views, virtual tables, and every table or index of the store whose
/// SQL is not the one that the store writes. Indexes of words may be missing if a library without
/// FTS5 made the file. Other tables and their indexes are left alone.
struct SchemaInspection {
  /// One entry of SQLite's own table.
  private struct Entry {
    let type: String
    let name: String
    let table: String
    let sql: String
  }

  /// The mark of the program that made the file.
  let applicationID: Int64
  /// The version of the mapping that the file has.
  let format: Int64

  private let connection: Connection
  private let entries: [Entry]
  private var expected: [String: String] = ["OpenSwiftData": Metadata.creation]
  private var ownTables: Set<String> = ["OpenSwiftData"]

  /// Optional entries: either all parts of an index of words are present, or none.
  private var possible: [String: SearchIndexMap] = [:]

  /// Reads a file's marks and entries.
  init(of connection: Connection) throws {
    self.connection = connection
    applicationID = try connection.integer("PRAGMA application_id") ?? 0
    format = try Metadata.format(of: connection)
    entries = try Self.entries(of: connection)
  }

  /// Whether the file is new, or was left between its creation and its first commit.
  var isEmpty: Bool { entries.isEmpty && applicationID == 0 && format == 0 }

  /// Returns the SQL of the first entry with a name, or `nil` if there is none.
  func sql(of name: String) -> String? { entries.first { $0.name == name }?.sql }

  /// Compares the entries with the map of the schema that the file claims to have.
  ///
  /// - Returns: The names of the tables that lack the column of rows' versions.
  /// - Throws: ``DataStoreError/storeNotTrusted`` with the name of an entry if the file has more or
  ///   less than it should.
  @discardableResult
  func check(_ map: SchemaMap) throws -> Set<String> {
    var inspection = self
    let unversioned = try inspection.expect(map)
    try inspection.checkEntries()
    return unversioned
  }

  /// Determines the entries of a schema, and returns the tables that lack the column of versions.
  private mutating func expect(_ map: SchemaMap) throws -> Set<String> {
    var unversioned: Set<String> = []
    let texts = Dictionary(entries.map { ($0.name, $0.sql) }) { first, _ in first }
    if format >= FileFormat.firstWithHistory {
      expected[FileFormat.historyTable] =
        format < FileFormat.firstWithSaves ? HistoryTable.formerCreation : HistoryTable.creation
      ownTables.insert(FileFormat.historyTable)
      if format >= FileFormat.firstWithSaves {
        expected[FileFormat.readerTable] = ReaderTable.creation
        ownTables.insert(FileFormat.readerTable)
      }
    }
    for table in map.tables {
      ownTables.insert(table.name)
      var creation = map.creation(of: table)
      if texts[table.name] != creation {
        // Columns that were added later come last.
        let names = try columnNames(of: table)
        creation = map.creation(of: table, order: names)
        if !names.contains(table.versionName) { unversioned.insert(table.name) }
      }
      expected[table.name] = creation
    }
    for join in map.joins {
      expected[join.name] = map.creation(of: join)
      ownTables.insert(join.name)
    }
    for index in try map.indexes(format: format) { expected[index.name] = index.sql }
    for index in map.searchIndexes {
      possible[index.name] = index
      ownTables.formUnion([index.name] + index.innerTables)
    }
    return unversioned
  }

  private func checkEntries() throws {
    var missing = expected
    for entry in entries {
      if let sql = expected[entry.name] {
        guard entry.sql == sql, entry.type == "table" || entry.type == "index" else {
          throw altered(entry)
        }
        missing[entry.name] = nil
      } else if let index = possible[entry.name] {
        try check(entry, of: index)
      } else {
        try checkForeign(entry)
      }
    }
    if let name = missing.keys.min() { throw refusal("the file lacks \(name); restore a backup") }
  }

  private func check(_ entry: Entry, of index: SearchIndexMap) throws {
    guard entry.sql == index.creation, entry.type == "table" else {
      throw altered(entry)
    }
    let tables = Set(entries.filter { $0.type == "table" }.map(\.name))
    guard tables.isSuperset(of: index.innerTables) else {
      throw refusal("the file lacks a part of \(entry.name); restore a backup")
    }
  }

  private func checkForeign(_ entry: Entry) throws {
    // Statistics and the indexes of constraints; SQL cannot give another table such a name, but a
    // file can.
    let isInternal = entry.name.hasPrefix("sqlite_") && ["table", "index"].contains(entry.type)
    let isPlainTable = entry.type == "table" && entry.sql.hasPrefix("CREATE TABLE ")
    let isForeignIndex = entry.type == "index" && !ownTables.contains(entry.table)
    guard isInternal || isPlainTable || isForeignIndex else {
      let statement = "DROP \(entry.type.uppercased()) \(SQLText.quoted(entry.name, by: "\""))"
      throw refusal(
        "the file has \(entry.type == "index" ? "an" : "a") \(entry.type) \(entry.name) that the store "
          + "did not create; remove it with SQLite's program: \(statement)"
      )
    }
  }

  private func altered(_ entry: Entry) -> DataStoreError {
    refusal(
      "the \(entry.type) \(entry.name) differs from what the store creates; undo the change with "
        + "SQLite's program, or restore a backup"
    )
  }

  private func refusal(_ message: String) -> DataStoreError {
    DataStoreError(.storeNotTrusted, message, file: connection.options.file?.path)
  }

  private static func entries(of connection: Connection) throws -> [Entry] {
    try connection.rows("SELECT type, name, tbl_name, sql FROM sqlite_master") {
      guard let type = $0.text(at: 0), let name = $0.text(at: 1), let table = $0.text(at: 2),
        let sql = $0.text(at: 3)
      else { throw DataStoreError(.storeDamaged, "a name in the file is not Unicode") }
      return Entry(type: type, name: name, table: table, sql: sql)
    }
  }

  private func columnNames(of table: TableMap) throws -> [String] {
    let sql = "SELECT name FROM pragma_table_xinfo(?) ORDER BY cid"
    return try connection.rows(sql, .text(table.name)) { $0.text(at: 0) ?? "" }
  }
}
