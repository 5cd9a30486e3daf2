import Foundation
import SQLiteStore
import StoreProtocol
import Testing

@Suite("History in SQLite")
struct HistoryStatementTests {
  private let log = StatementLog()
  private let store: SQLiteStore
  private let items: [PersistentIdentifier]

  init() throws {
    store = try SQLiteStore.inMemory(log: log)
    items = try store.insert((0..<50).map { .new(SampleSchema.item, ["title": .string("\($0)")]) })
    log.clear()
  }

  private func history() throws -> [StoreTransaction] {
    try store.transactions(StoreHistoryQuery())
  }

  private func title(_ row: PersistentIdentifier, _ title: String) -> StoreUpdate {
    let index = SampleSchema.item.indexByName["title"] ?? 0
    return StoreUpdate(identifier: row, changes: [.init(index, .string(title))])
  }

  @Test func `adds one INSERT and one SELECT to a save`() throws {
    _ = try store.apply(StoreChanges(updated: [title(items[0], "a")]))
    log.clear()
    _ = try store.apply(StoreChanges(updated: [title(items[1], "b")]))
    let texts = log.counts.texts
    let written = texts.filter { !$0.hasPrefix("SELECT") && $0.contains("\"") }
    #expect(
      written.map { $0.prefix(22) } == ["UPDATE \"Item\" SET \"tit", "INSERT INTO \"_history\""]
    )
    #expect(texts.count { $0.hasPrefix("SELECT") && $0.contains("_history") } == 1)
    #expect(log.counts.prepared == 0)
  }

  @Test func `takes as much space for many new rows as for one`() throws {
    let sizes = try store.withConnection {
      try $0.rows("SELECT length(changes) AS n FROM _history").map { $0["n"] }
    }
    #expect(sizes == [.integer(35)])
    #expect(try history()[0].changes.count == 50)
  }

  @Test func `is queried in SQL`() throws {
    let token = DefaultHistoryToken(tokenValue: [store.identifier: 0])
    let time = Date(timeIntervalSinceReferenceDate: 0)
    let names = ["Item"]
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
      predicate: #Predicate {
        $0.token > token && $0.author != "me" && $0.timestamp > time
          && $0.changes.contains { names.contains($0.changedPersistentIdentifier.entityName) }
      },
      sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)]
    )
    descriptor.fetchLimit = 5
    #expect(try store.fetchHistory(descriptor).count == 1)
    let sql = try #require(log.counts.texts.first { $0.contains("_history") })
    #expect(
      sql
        == """
        SELECT number, timestamp, author, bundle, process, changes, save, origin FROM "_history" WHERE \
        (((number > ?) AND (NOT ((author IS ? COLLATE SwiftText)))) AND (timestamp > ?)) AND \
        (EXISTS (SELECT 1 FROM json_each(changes) AS g WHERE coalesce(json_extract(g.value, \
        '$.insert'), json_extract(g.value, '$.update'), json_extract(g.value, '$.delete')) IN \
        (SELECT value FROM json_each(?)))) ORDER BY number DESC, number LIMIT ?
        """
    )
  }

  @Test func `includes the changes of the program's statements`() throws {
    let key = try store.withWritableConnection { connection in
      let key = try connection.newKey()
      try connection.execute("INSERT INTO Item(_key, title) VALUES (?, 'raw')", .integer(key))
      try connection.execute("UPDATE Item SET title = 'x' WHERE _key <= 2")
      try connection.execute("DELETE FROM Item WHERE _key = 50")
      return key
    }
    let changes = try history().last?.changes ?? .init()
    #expect(changes.map(\.kind) == [.insert, .update, .update, .delete])
    #expect(changes.map(\.identifier.integerKey) == [key, 1, 2, 50])
    #expect(changes[1].properties.contains("title"))
    try store.withWritableConnection { try $0.execute("DELETE FROM Item") }
    #expect(try history().last?.changes.filter { $0.kind == .delete }.count == 50)
    #expect(throws: DataStoreError.unsupportedFeature) {
      try store.withWritableConnection { try $0.execute("DELETE FROM _history") }
    }
  }

  @Test func `reports a transaction that cannot be read`() throws {
    try store.execute("UPDATE _history SET changes = '[{\"insert\":\"Item\"}]'")
    #expect(throws: DataStoreError.storeDamaged) { try history() }
  }
}
