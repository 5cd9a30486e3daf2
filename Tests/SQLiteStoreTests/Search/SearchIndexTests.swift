import CSQLite
import Foundation
import SQLTranslation
import StoreProtocol
import Testing

@testable import SQLiteStore

@Suite("A full-text index")
struct SearchIndexTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("a.db")
  }

  private func records(_ bodies: [String]) -> [DefaultSnapshot] {
    bodies.enumerated().map { number, body in
      .new(SearchSample.note, ["title": .string("title \(number)"), "body": .string(body)])
    }
  }

  private func names() throws -> [String] {
    let connection = try Connection(ConnectionOptions(location: .file(path), role: .reader))
    let sql = "SELECT name FROM sqlite_master WHERE name LIKE 'words %' ORDER BY name"
    return try connection.withStatement(sql) {
      var names: [String] = []
      while try $0.step() { names.append($0.text(at: 0) ?? "") }
      return names
    }
  }

  /// Runs SQL that the store would never run.
  private func tamper(_ sql: String) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    try #require(sqlite3_open(path, &handle) == SQLITE_OK)
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    try #require(code == SQLITE_OK, "\(String(cString: sqlite3_errmsg(handle)))")
  }

  private func refusal(_ schema: StoreSchema = SearchSample.schema) -> DataStoreError? {
    do {
      _ = try SQLiteStore.inFile(path, schema)
      return nil
    } catch {
      return error as? DataStoreError
    }
  }

  @Test func `is created with the store for each attribute with the option`() throws {
    _ = try SQLiteStore.inFile(path, SearchSample.schema)
    #expect(
      try names().filter { !$0.contains(")_") }
        == ["words Note(body)", "words Note(summary)", "words Note(title)"]
    )
  }

  @Test func `is created and filled when an attribute gains the option`() throws {
    let plain = try SQLiteStore.inFile(path, SearchSample.plainSchema)
    try plain.insert(records(["hot spring", "cold sea", "", "Hot Sea"]))
    #expect(try plain.indexed(TextSearch("hot"), "Note", "body") == nil)
    let store = try SQLiteStore.inFile(path, SearchSample.schema)
    #expect(try store.indexed(TextSearch("hot"), "Note", "body") == [1, 4])
    #expect(try store.indexed(TextSearch("-hot"), "Note", "body") == [2, 3])
    #expect(try store.indexed(TextSearch("3"), "Note", "title") == [4])
  }

  @Test func `is removed when an attribute loses the option`() throws {
    try SQLiteStore.inFile(path, SearchSample.schema).insert(records(["hot spring"]))
    let store = try SQLiteStore.inFile(path, SearchSample.plainSchema)
    #expect(try names() == [])
    #expect(try store.fetch(StoreQuery(entity: "Note")).count == 1)
  }

  @Test func `is created again after a program without FTS5 removed it`() throws {
    try SQLiteStore.inFile(path, SearchSample.schema).insert(records(["hot spring", "sea"]))
    try tamper("DROP TABLE \"words Note(body)\"")
    let reading = try SQLiteStore.inFile(path, SearchSample.schema, allowsSave: false)
    #expect(try reading.indexed(TextSearch("sea"), "Note", "body") == nil)
    #expect(try reading.indexed(TextSearch("0"), "Note", "title") == [1])
    let store = try SQLiteStore.inFile(path, SearchSample.schema)
    #expect(try store.indexed(TextSearch("sea"), "Note", "body") == [2])
  }

  @Test func `removes rows that are deleted in bulk`() throws {
    let store = try SQLiteStore.inFile(path, SearchSample.schema)
    let rows = try store.insert(records(["hot spring", "cold sea", "hot sea"]))
    let isFirst = QueryExpression.compare(
      .equal,
      .property(.element(0), "body"),
      .constant(.string("hot spring"))
    )
    let result = try store.apply(
      StoreChanges(bulkChanges: [.delete(StoreQuery(entity: "Note", filter: isFirst))])
    )
    #expect(result.deleted == [rows[0]])
    #expect(try store.identifiers(StoreQuery(entity: "Note")) == Array(rows[1...]))
    #expect(try store.indexed(TextSearch("hot"), "Note", "body") == [3])
    #expect(try store.verify() == [])
  }

  @Test func `with another definition is refused`() throws {
    _ = try SQLiteStore.inFile(path, SearchSample.schema)
    try tamper(
      """
      DROP TABLE "words Note(body)";
      CREATE VIRTUAL TABLE "words Note(body)" USING fts5(words1, tokenize='porter');
      """
    )
    #expect(refusal() == .storeNotTrusted)
  }

  @Test func `that is not in the schema is refused`() throws {
    _ = try SQLiteStore.inFile(path, SearchSample.plainSchema)
    try tamper("CREATE VIRTUAL TABLE \"words Note(body)\" USING fts5(words1)")
    #expect(refusal() == .storeNotTrusted)
    #expect(refusal(SearchSample.plainSchema) == .storeNotTrusted)
  }

  @Test func `with a missing shadow table is refused`() throws {
    _ = try SQLiteStore.inFile(path, SearchSample.schema)
    try tamper("DROP TABLE \"words Note(body)_idx\"")
    #expect(refusal() == .storeNotTrusted)
  }

  @Test func `is used by a search`() throws {
    let store = try SQLiteStore.inMemory(SearchSample.schema)
    let map = try store.catalog.map.entity(named: "Note")
    let steps = try store.database.read { connection in
      let conditions = ConditionTranslator(map: map, catalog: store.catalog, connection: connection)
      let condition = try #require(
        try conditions.indexedSearch(
          .property(.element(0), "body"),
          TextSearch("sea -\"hot spring\" be*"),
          .holds
        )
      )
      #expect(
        condition.parameters
          == [.value(.text("((\"sea\") AND (\"be\" *)) NOT (\"hot spring\")"))]
      )
      let sql = "EXPLAIN QUERY PLAN SELECT * FROM Note WHERE \(condition.text)"
      return try connection.withStatement(sql) {
        try $0.bind(condition.parameters)
        var steps: [String] = []
        while try $0.step() { steps.append($0.text(at: 3) ?? "") }
        return steps
      }
    }
    #expect(steps.contains("SEARCH Note USING INTEGER PRIMARY KEY (rowid=?)"))
    #expect(steps.contains { $0.hasPrefix("SCAN words Note(body) VIRTUAL TABLE INDEX") })
  }

  @Test func `is not used by searches with too many terms`() throws {
    let store = try SQLiteStore.inMemory(SearchSample.schema)
    let search = TextSearch((0..<101).map { "w\($0)" }.joined(separator: " "))
    #expect(try store.indexed(search, "Note", "body") == nil)
  }

  @Test func `is updated by a new row that becomes an update of a stored row`() throws {
    let store = try SQLiteStore.inMemory(SearchSample.schema)
    try store.insert(records(["hot"]))
    try store.insert(records(["sea"]))
    #expect(try store.indexed(TextSearch("hot"), "Note", "body") == [])
    #expect(try store.indexed(TextSearch("sea"), "Note", "body") == [1])
  }

  @Test func `contains no deleted row`() throws {
    let store = try SQLiteStore.inMemory(SearchSample.schema)
    let stored = try store.insert(records(["hot", "hot sea"]))
    _ = try store.apply(StoreChanges(deleted: [stored[0]]))
    let keys = try store.database.read { connection in
      let sql = "SELECT rowid FROM \"words Note(body)\" WHERE \"words Note(body)\" MATCH 'hot'"
      return try connection.withStatement(sql) {
        var keys: [Int64] = []
        while try $0.step() { keys.append($0.integer(at: 0)) }
        return keys
      }
    }
    #expect(keys == [2])
  }

  @Test func `is unchanged by a failed save`() throws {
    let store = try SQLiteStore.inMemory(SearchSample.schema)
    let stored = try store.insert(records(["hot", "sea"]))
    let collision = StoreChanges(
      inserted: records(["x", "y", "z"]).suffix(1),
      updated: [
        .change(stored[0], SearchSample.note, ["body": .string("new")]),
        .change(stored[1], SearchSample.note, ["title": .string("title 0")]),
      ]
    )
    #expect(throws: DataStoreError.uniqueConflict) { try store.apply(collision) }
    #expect(try store.indexed(TextSearch("hot"), "Note", "body") == [1])
    #expect(try store.indexed(TextSearch("new OR z"), "Note", "body") == [])
  }
}
