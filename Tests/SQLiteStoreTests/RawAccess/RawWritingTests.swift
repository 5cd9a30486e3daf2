import Foundation
import SQLiteStore
import StoreProtocol
import Testing

@Suite("A connection for writing")
struct RawWritingTests {
  private let folder: TemporaryFolder
  private let store: SQLiteStore

  init() throws {
    folder = try TemporaryFolder()
    store = try .inFile(folder.path("a.db"))
    try VerificationTests.fill(store)
  }

  private func versions(_ entity: String) throws -> [Int64] {
    var found: [Int64] = []
    try store.read(StoreQuery(entity: entity)) { reader in found.append(reader.version) }
    return found
  }

  @Test(arguments: [false, true])
  func `stores all of its statements in one save`(isInMemory: Bool) throws {
    let store = isInMemory ? try SQLiteStore.inMemory() : store
    if isInMemory { try VerificationTests.fill(store) }
    let key = try store.withWritableConnection { connection in
      let key = try connection.newKey()
      #expect(
        try connection.execute(
          "INSERT INTO Item(_key, title, trip) VALUES (?, ?, 2)",
          .integer(key),
          "raw"
        ) == 1
      )
      #expect(try connection.execute("UPDATE Trip SET days = days + 1 WHERE _key = 2") == 1)
      #expect(try connection.execute("DELETE FROM Tag") == 1)
      #expect(try connection.rows("SELECT count(*) AS n FROM Item").first?["n"] == 2)
      return key
    }
    #expect(key == 6)
    let items = try store.fetch(StoreQuery(entity: "Item"))
    #expect(items.map { $0["title"] } == [.null, .string("raw")])
    #expect(try store.count(StoreQuery(entity: "Tag")) == 0)
    #expect(try store.insert([.new(SampleSchema.item)]).map(\.integerKey) == [7])
    #expect(try store.verify() == [])
  }

  @Test func `sets the version of changed rows to its save number`() throws {
    try store.insert([.new(SampleSchema.item), .new(SampleSchema.item)])
    #expect(try versions("Item") == [1, 2, 2])
    let expected = try store.fetch(StoreQuery(entity: "Item"))
    try store.withWritableConnection {
      try $0.execute("UPDATE Item SET title = 'x' WHERE _key = 6")
    }
    #expect(try versions("Item") == [1, 3, 2])
    let identifier = expected[1].persistentIdentifier
    #expect(throws: DataStoreError.conflict) {
      _ = try store.apply(
        StoreChanges(
          updated: [.change(identifier, SampleSchema.item, ["title": .string("y")])],
          expectedVersions: [identifier: expected[1].version]
        )
      )
    }
  }

  @Test func `increases the version of owners whose related objects it changed`() throws {
    try store.withWritableConnection { try $0.execute("DELETE FROM \"Trip.tags\"") }
    #expect(try versions("Trip") == [2, 2])
    #expect(try versions("Tag") == [1])
    try store.withWritableConnection { try $0.execute("DELETE FROM Tag") }
    #expect(try versions("Trip") == [2, 2])
  }

  @Test func `stores nothing when the body throws`() throws {
    struct Stop: Error {}
    let before = try store.fetch(StoreQuery(entity: "Trip"))
    #expect(throws: Stop.self) {
      try store.withWritableConnection { connection in
        _ = try connection.newKey()
        try connection.execute("DELETE FROM Trip")
        throw Stop()
      }
    }
    #expect(try store.fetch(StoreQuery(entity: "Trip")) == before)
    #expect(try store.insert([.new(SampleSchema.item)]).map(\.integerKey) == [6])
  }

  @Test(arguments: [
    "INSERT INTO Item(title) VALUES ('no key')",
    "INSERT INTO Item(_key) VALUES (1000)",
    "REPLACE INTO Item(_key, title) VALUES (4, 'x')",
    "UPDATE \"Values\" SET int8 = 300",
    "UPDATE \"Values\" SET codable = '{'",
    "UPDATE \"Values\" SET uuid = 'x'",
    "UPDATE Item SET trip = 99",
    "UPDATE Trip SET items = 'x'",
  ])
  func `rejects rows that do not fit the schema`(sql: String) throws {
    #expect(throws: DataStoreError.invalidValue) {
      try store.withWritableConnection { _ = try $0.execute(sql) }
    }
    #expect(try store.verify() == [])
    #expect(try versions("Item") == [1])
  }

  @Test func `rejects a row of an entity that the schema lacks`() throws {
    #expect(throws: DataStoreError.invalidValue) {
      try store.withWritableConnection {
        let key = try $0.newKey()
        try $0.execute("INSERT INTO Trip(_key, _entity) VALUES (?, 'Nobody')", .integer(key))
      }
    }
  }

  @Test func `marks columns with values that SQL compares differently`() throws {
    try store.withWritableConnection {
      try $0.execute("UPDATE \"Values\" SET string = ?", "e\u{301}")
    }
    #expect(try store.verify() == [])
    let query = StoreQuery(
      entity: "Values",
      filter: .compare(.equal, .property(.element(0), "string"), .constant(.string("\u{E9}")))
    )
    #expect(try store.count(query) == 1)
  }

  @Test func `enforces uniqueness by Swift's string comparison`() throws {
    #expect(throws: DataStoreError.uniqueConflict) {
      try store.withWritableConnection { connection in
        for name in ["\u{E9}", "e\u{301}"] {
          let key = try connection.newKey()
          try connection.execute(
            "INSERT INTO Tag(_key, name) VALUES (?, ?)",
            .integer(key),
            .text(name)
          )
        }
      }
    }
    #expect(throws: DataStoreError.uniqueConflict) {
      try store.withWritableConnection { connection in
        let key = try connection.newKey()
        try connection.execute("INSERT INTO Tag(_key, name) VALUES (?, 't')", .integer(key))
      }
    }
    #expect(try store.count(StoreQuery(entity: "Tag")) == 1)
  }

  @Test func `updates the full-text indexes`() throws {
    let store = try SQLiteStore.inMemory(SearchSample.schema)
    let keys = try store.insert([
      .new(SearchSample.note, ["title": .string("sea")]),
      .new(SearchSample.note, ["title": .string("hot spring")]),
    ])
    try store.withWritableConnection { connection in
      try connection.execute("UPDATE Note SET title = 'lake' WHERE _key = 1")
      let key = try connection.newKey()
      try connection.execute(
        "INSERT INTO Note(_key, _entity, title) VALUES (?, 'Note', 'cold spring')",
        .integer(key)
      )
    }
    let rows = try store.withConnection { connection in
      try ["sea", "lake", "spring"].map { word in
        try connection.rows(
          "SELECT rowid FROM \"words Note(title)\" WHERE \"words Note(title)\" MATCH ?",
          .text(word)
        )
        .map { $0[0]?.integerValue }
      }
    }
    #expect(rows == [[], [1], [2, 3]])
    #expect(keys.count == 2)
  }

  @Test func `throws and stores nothing if a statement ended the transaction`() throws {
    #expect(throws: DataStoreError.notSaved) {
      try store.withWritableConnection { connection in
        try connection.execute("UPDATE Trip SET days = 9")
        _ = try? connection.execute("INSERT OR ROLLBACK INTO Item(_key) VALUES (4)")
        try connection.execute("UPDATE Trip SET days = 10")
      }
    }
    #expect(throws: DataStoreError.notSaved) {
      try store.withWritableConnection { connection in
        _ = try? connection.execute("INSERT OR ROLLBACK INTO Item(_key) VALUES (4)")
      }
    }
    #expect(try store.fetch(StoreQuery(entity: "Trip")).map { $0["days"] } == [.integer(1), .null])
    #expect(try store.verify() == [])
    _ = try store.insert([.new(SampleSchema.item)])
  }

  @Test func `is refused by a read-only store`() throws {
    let reading = try SQLiteStore.inFile(folder.path("a.db"), nil, allowsSave: false)
    #expect(throws: DataStoreError.storeReadOnly) {
      try reading.withWritableConnection { _ = try $0.execute("DELETE FROM Item") }
    }
  }

  @Test func `records a list whose name differs from another's only by case`() throws {
    let names = ["books", "Books"]
    let relationship = StoreRelationship(destination: "Book")
    let shelf = StoreEntity(
      name: "Shelf",
      properties: names.map { StoreProperty(name: $0, kind: .toMany(relationship)) }
    )
    let book = StoreEntity(name: "Book", properties: [SampleSchema.attribute("title", .string)])
    let path = folder.path("shelves.db")
    let store = try SQLiteStore.inFile(path, StoreSchema(entities: [shelf, book]))
    let rows = try store.insert([.new(shelf), .new(book)])
    let (owner, member) = (rows[0].integerKey ?? 0, rows[1].integerKey ?? 0)
    try store.withWritableConnection {
      try $0.execute("INSERT INTO \"Shelf.^Books\" VALUES (\(owner), 0, \(member))")
    }
    let changes = try store.transactions(StoreHistoryQuery()).last?.changes
    #expect(changes?.map(\.properties) == [["Books"]])
    try OtherProgram.run(path, "DELETE FROM Book")
    #expect(try store.verify().compactMap(\.property) == ["Books"])
  }

  @Test func `can write to the program's own tables`() throws {
    try folder.run("CREATE TABLE notes(a INTEGER PRIMARY KEY, b)")
    try store.withWritableConnection {
      try $0.execute("INSERT INTO notes(b) VALUES (?)", "mine")
    }
    #expect(try store.withConnection { try $0.rows("SELECT b FROM notes").first?[0] } == "mine")
  }
}
