import SQLiteStore
import StoreProtocol
import Testing

@Suite("Unique strings in several forms")
struct UniqueStringTests {
  private static let name = StoreEntity(
    name: "Name",
    properties: [
      SampleSchema.attribute("text", .string), SampleSchema.attribute("number", .int64),
    ],
    uniquenessConstraints: [["text"]]
  )

  private let folder: TemporaryFolder
  private let log = StatementLog()
  private let store: SQLiteStore

  init() throws {
    folder = try TemporaryFolder()
    let schema = StoreSchema(entities: [Self.name])
    store = try SQLiteStore.inFile(folder.path("a.db"), schema, log: log)
  }

  private func records(_ strings: [String]) -> [DefaultSnapshot] {
    strings.map { .new(Self.name, ["text": .string($0)]) }
  }

  private func count() throws -> Int { try store.count(StoreQuery(entity: "Name")) }

  @Test func `one save of many strings does not read the table for each`() throws {
    try store.insert(records((0..<300).map { "e\u{301}\($0)" }))
    log.clear()
    // Half of these are stored in the other form.
    try store.insert(records((150..<450).map { "\u{E9}\($0)" }))
    #expect(try count() == 450)
    #expect(log.counts.stepped < 10 * 600)
    log.clear()
    try store.insert(records((450..<750).map { "e\u{301}\($0)" }))
    #expect(try count() == 750)
    #expect(log.counts.stepped < 10 * 750)
  }

  @Test func `many saves of one string read the table once`() throws {
    try store.insert(records((0..<300).map { "e\u{301}\($0)" }))
    log.clear()
    for number in 150..<450 { try store.insert(records(["\u{E9}\(number)"])) }
    #expect(try count() == 450)
    #expect(log.counts.stepped < 25 * 300)
    log.clear()
    for number in 150..<450 { try store.insert(records(["e\u{301}\(number)x"])) }
    #expect(try count() == 750)
    #expect(log.counts.stepped < 25 * 300)
  }

  @Test func `rows that another writer saved between two saves are found`() throws {
    let other = try SQLiteStore.inFile(folder.path("a.db"), StoreSchema(entities: [Self.name]))
    try store.insert(records(["a\u{301}", "\u{E1}"]))
    try other.insert(records(["e\u{301}"]))
    try store.insert(records(["\u{E9}"]))
    try store.withWritableConnection { connection in
      let key = try connection.newKey()
      try connection.execute(
        "INSERT INTO Name (_key, text, number) VALUES (?, ?, 1)",
        .integer(key),
        "o\u{301}"
      )
    }
    try store.insert(records(["\u{F3}"]))
    #expect(try count() == 3)
    try store.withWritableConnection(during: { try store.insert(records(["i\u{301}"])) }) {
      connection in
      let key = try connection.newKey()
      try connection.execute(
        "INSERT INTO Name (_key, text, number) VALUES (?, ?, 1)",
        .integer(key),
        "u\u{301}"
      )
    }
    try store.insert(records(["\u{FA}", "\u{ED}"]))
    #expect(try count() == 5)
  }

  @Test func `a refused save leaves no values in the cache`() throws {
    let rows = try store.insert(records(["e\u{301}", "o\u{301}"]))
    // The first row changes its value, so that the first new value is free; the second is not.
    let update = StoreUpdate(identifier: rows[0], changes: [.init(0, .string("a\u{301}"))])
    var refused = StoreChanges(inserted: records(["\u{E9}", "\u{F3}"]), updated: [update])
    refused.requiresNew = true
    #expect(throws: DataStoreError.self) { try store.apply(refused) }
    try store.insert(records(["\u{E9}", "\u{E1}"]))
    #expect(try count() == 3)
    _ = try store.apply(StoreChanges(deleted: [rows[0]]))
    try store.insert(records(["\u{E9}"]))
    #expect(try count() == 3)
  }

  @Test func `deleted rows are removed from the cache`() throws {
    try store.insert(records(["e\u{301}"]))
    for round in 0..<30 {
      let rows = try store.insert(records((0..<100).map { "o\u{301}\(round) \($0)" }))
      _ = try store.apply(StoreChanges(deleted: rows))
    }
    #expect(try store.cachedInexactKeys().allSatisfy { $0 < 1_100 })
    try store.insert(records(["\u{E9}"]))
    #expect(try count() == 1)
  }

  @Test func `equal strings in one save result in one row`() throws {
    try store.insert(records(["e\u{301}", "\u{E9}", "e\u{301}", "e", "e\u{301}x", "\u{E9}x"]))
    #expect(try count() == 3)
  }

  @Test func `a changed row is found only by its new value`() throws {
    let rows = try store.insert(records(["e\u{301}", "o\u{301}"]))
    let updates = [
      StoreUpdate(identifier: rows[0], changes: [.init(0, .string("a\u{301}"))]),
      StoreUpdate(identifier: rows[1], changes: [.init(0, .string("e\u{301}"))]),
    ]
    let inserted = records(["\u{E1}", "\u{E9}", "\u{F3}"])
    let result = try store.apply(StoreChanges(inserted: inserted, updated: updates))
    let found = inserted.map { result.remapped[$0.persistentIdentifier] }
    #expect(found[0] == rows[0])
    #expect(found[1] == rows[1])
    #expect(try count() == 3)
    #expect(throws: DataStoreError.self) {
      try store.apply(
        StoreChanges(
          updated: [StoreUpdate(identifier: rows[0], changes: [.init(0, .string("\u{E9}"))])]
        )
      )
    }
  }
}
