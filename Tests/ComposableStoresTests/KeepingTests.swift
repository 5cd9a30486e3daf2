import ComposableStores
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Wrapped stores")
struct KeepingTests {
  @Test func `any number of wrappers pass on the history`() throws {
    let (container, context) = try open(
      MemoryStoreConfiguration().logged { _ in }.counted().faulty(FaultPlan())
    )
    context.author = "import"
    context.insert(Chart("Skagerrak"))
    try context.save()
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.map(\.author) == ["import"])
    #expect(container.stores[0] is any HistoryKeeping)
    #expect(!(container.stores[0] is any MaintainableStore))
    #expect(!(container.stores[0] is any MigratableStore))
  }

  @Test func `wrappers pass on verification, compaction and backup`() throws {
    let folder = try TemporaryFolder()
    let file = SQLiteStoreConfiguration(url: folder.file("atlas.db"))
    let (container, context) = try open(file.logged { _ in }.counted())
    context.insert(Chart("Skagerrak"))
    try context.save()
    let store = try #require(container.stores[0] as? any MaintainableStore)
    #expect(try store.verify().isEmpty)
    try store.compact()
    try store.backup(to: folder.file("copy.db"))
    let copy = SQLiteStoreConfiguration(url: folder.file("copy.db"))
    #expect(try names(in: open(copy).container) == ["Skagerrak"])
  }

  @Test func `beginning a migration reaches the wrapped store`() throws {
    let folder = try TemporaryFolder()
    let file = SQLiteStoreConfiguration(url: folder.file("atlas.db"))
    #expect(try open(file).container.stores.count == 1)
    let migration = try CountingStore<SQLiteStore>.beginMigration(of: file.counted())
    let begun = try #require(migration)
    defer { begun.end() }
    #expect(begun.schema.entities.map(\.name) == ["Atlas", "Chart"])
  }

  @Test func `identifiers are the same with and without wrappers`() throws {
    let memory = MemoryStoreConfiguration()
    let (_, context) = try open(memory)
    context.insert(Chart("Skagerrak"))
    try context.save()
    let plain = try context.fetchIdentifiers(FetchDescriptor<Chart>())
    let (wrapped, _) = try open(memory.logged { _ in }.counted())
    #expect(try ModelContext(wrapped).fetchIdentifiers(FetchDescriptor<Chart>()) == plain)
  }
}
