import Foundation
import OpenSwiftData
import PostgreSQLClient
import PostgreSQLStore
import PostgreSQLTestSupport
import Testing

/// Stores that are, under an open handle, no longer those that were opened.
@Suite(
  .enabled(
    if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
    "no PostgreSQL server is installed"
  ),
  .timeLimit(.minutes(30))
)
struct `A PostgreSQL store under an open handle` {
  private let configuration: PostgreSQLStoreConfiguration
  private var space: String { "\"\(configuration.databaseSchema)\"" }
  private var saved: String { "\"\(configuration.databaseSchema) saved\"" }

  init() throws {
    configuration = try PostgreSQLStoreConfiguration(
      PrivateCluster.shared().configuration(),
      databaseSchema: "r" + UUID().uuidString
    )
  }

  private func open() throws -> ModelContainer {
    try ModelContainer(for: Harbor.self, Ferry.self, configurations: configuration)
  }

  private func store(of container: ModelContainer) throws -> PostgreSQLStore {
    try #require(container.stores.first as? PostgreSQLStore)
  }

  private func run(_ statements: [String]) throws {
    let connection = try PrivateCluster.shared().connect()
    try connection.begin(TransactionOptions(.readCommitted))
    for statement in statements { try connection.run(Statement(statement)) }
    try connection.commit()
  }

  private let tables = ["_meta", "_history", "_saves", "_readers", "\"Harbor\"", "\"Ferry\""]

  /// Copies the store's rows, as a backup or an asynchronous replica does.
  private func keep() throws {
    try run(
      ["CREATE SCHEMA \(saved)"]
        + tables.map { "CREATE TABLE \(saved).\($0) AS SELECT * FROM \(space).\($0)" }
    )
  }

  /// Returns the store to the rows that were copied, without the connections' knowledge.
  private func restore() throws {
    try run(
      tables.flatMap {
        ["DELETE FROM \(space).\($0)", "INSERT INTO \(space).\($0) SELECT * FROM \(saved).\($0)"]
      }
    )
  }

  private func insert(_ name: String, _ container: ModelContainer) throws {
    let context = ModelContext(container)
    context.insert(Harbor(name: name))
    try context.save()
  }

  private func names(_ container: ModelContainer) throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Harbor>(sortBy: [SortDescriptor(\.name)]))
      .map(\.name)
  }

  /// Checks that everything throws for a handle whose context has a harbor.
  private func expectReplaced(_ container: ModelContainer, _ harbor: Harbor) throws {
    let context = try #require(harbor.modelContext)
    let store = try self.store(of: container)
    #expect(throws: DataStoreError.storeReplaced) { try insert("mine", container) }
    harbor.name = "mine"
    #expect(throws: DataStoreError.storeReplaced) { try context.save() }
    context.rollback()
    #expect(throws: DataStoreError.storeReplaced) { try context.fetch(FetchDescriptor<Harbor>()) }
    #expect(throws: DataStoreError.storeReplaced) {
      try context.fetchCount(FetchDescriptor<Harbor>())
    }
    #expect(throws: DataStoreError.storeReplaced) {
      let nothing = #Predicate<Harbor> { $0.name == "none" }
      return try context.fetch(FetchDescriptor(predicate: nothing))
    }
    let all = StoreQuery(entity: "Harbor")
    #expect(throws: DataStoreError.storeReplaced) { try store.read(all) { _ in } }
    #expect(throws: DataStoreError.storeReplaced) {
      try store.readingOneState { _ = try store.count(all) }
    }
    #expect(throws: DataStoreError.storeReplaced) { try store.transactions(StoreHistoryQuery()) }
    #expect(throws: DataStoreError.storeReplaced) { try store.deleteTransactions(nil) }
    #expect(throws: DataStoreError.storeReplaced) { try store.erase() }
    let position = HistoryReaderPosition(name: "r", number: 1, save: nil, timestamp: Date())
    var changes = StoreChanges()
    changes.readers = [position]
    #expect(throws: DataStoreError.storeReplaced) { try store.apply(changes) }
    #expect(throws: DataStoreError.storeReplaced) {
      try container.historyReader("r").advance(to: DefaultHistoryToken(store.identifier, 1))
    }
  }

  @Test(arguments: [1, 3])
  func `is not written to if it is another store of its name`(_ saves: Int) throws {
    defer { _ = try? PostgreSQLStore.remove(configuration) }
    let container = try open()
    for _ in 0..<saves { try insert("old", container) }
    let context = ModelContext(container)
    let harbor = try #require(try context.fetch(FetchDescriptor<Harbor>()).first)
    let watch = try #require(try store(of: container).watch())
    try PostgreSQLStore.remove(configuration)
    let other = try open()
    // The number of the last save and the next key are those of the old store.
    for _ in 0..<saves { try insert("new", other) }
    try expectReplaced(container, harbor)
    #expect(throws: DataStoreError.storeReplaced) { try watch.newSaves() }
    #expect(try names(other) == Array(repeating: "new", count: saves))
    try insert("newer", other)
  }

  @Test(arguments: 0...3)
  func `throws after a return to an earlier state that lost saves`(_ later: Int) throws {
    defer {
      try? run(["DROP SCHEMA \(saved) CASCADE"])
      _ = try? PostgreSQLStore.remove(configuration)
    }
    let container = try open()
    try insert("a", container)
    try keep()
    let context = ModelContext(container)
    let harbor = try #require(try context.fetch(FetchDescriptor<Harbor>()).first)
    harbor.name = "lost"
    try context.save()
    try insert("lost too", container)
    let watch = try #require(try store(of: container).watch())
    try restore()
    // Other programs get the numbers and keys of the lost saves.
    let other = try open()
    for number in 0..<later {
      let context = ModelContext(other)
      let harbor = try #require(try context.fetch(FetchDescriptor<Harbor>()).first)
      harbor.name = "b\(number)"
      try context.save()
    }
    #expect(throws: DataStoreError.storeReplaced) { try watch.newSaves() }
    try expectReplaced(container, harbor)
    #expect(try names(other) == [later == 0 ? "a" : "b\(later - 1)"])
    #expect(try names(open()) == names(other))
  }

  @Test func `throws after a return to an earlier state if it only read the lost save`() throws {
    defer {
      try? run(["DROP SCHEMA \(saved) CASCADE"])
      _ = try? PostgreSQLStore.remove(configuration)
    }
    let container = try open()
    let other = try open()
    try insert("a", container)
    _ = try names(other)
    try keep()
    try insert("lost", container)
    let context = ModelContext(other)
    let harbors = try context.fetch(FetchDescriptor<Harbor>())
    let harbor = try #require(harbors.first { $0.name == "lost" })
    try restore()
    try insert("b", open())
    try expectReplaced(other, harbor)
  }

  /// A program that was idle for more than a day.
  @Test func `goes on as long as the history has the last save that it has seen`() throws {
    let container = try open()
    try insert("Nome", container)
    try insert("Kiel", try open())
    let old = "WHERE save <> (SELECT save FROM \(space)._meta)"
    try run(["DELETE FROM \(space)._saves \(old)"])
    #expect(try names(container) == ["Kiel", "Nome"])
    try insert("Oban", try open())
    try run(["DELETE FROM \(space)._saves \(old)", "DELETE FROM \(space)._history \(old)"])
    let error = #expect(throws: DataStoreError.self) { _ = try names(container) }
    #expect(error == .storeReplaced)
    #expect(error?.message.contains("neither read nor saved") == true)
    #expect(try names(try open()) == ["Kiel", "Nome", "Oban"])
  }

  @Test func `reports to observers that it lost saves`() async throws {
    defer {
      try? run(["DROP SCHEMA \(saved) CASCADE"])
      _ = try? PostgreSQLStore.remove(configuration)
    }
    let container = try open()
    try insert("a", container)
    try keep()
    try insert("lost", container)
    let context = ModelContext(container, isolation: nil)
    let observer = try ResultsObserver(
      fetchDescriptor: FetchDescriptor<Harbor>(),
      modelContext: context
    )
    #expect(observer.results.count == 2)
    try restore()
    try insert("b", open())
    while observer.fetchError == nil { await Task.yield() }
    #expect((observer.fetchError as? DataStoreError) == .storeReplaced)
  }

  @Test func `is read and written while other handles save, as before`() throws {
    defer { _ = try? PostgreSQLStore.remove(configuration) }
    let containers = try (0..<3).map { _ in try open() }
    let watch = try #require(try store(of: containers[0]).watch())
    for number in 0..<12 {
      try insert("\(number)", containers[number % 3])
      for container in containers { #expect(try names(container).count == number + 1) }
      #expect(try watch.newSaves() != nil)
    }
    try store(of: containers[1]).erase()
    try insert("x", containers[2])
    for container in containers { #expect(try names(container) == ["x"]) }
    try insert("y", containers[0])
  }

  @Test func `throws schemaMismatch for reads after another program migrated it`() throws {
    defer { _ = try? PostgreSQLStore.remove(configuration) }
    let container = try ModelContainer(
      for: Schema(versionedSchema: FirstPiers.self),
      configurations: [configuration]
    )
    let context = ModelContext(container)
    context.insert(FirstPiers.Pier(name: "a", length: "12"))
    try context.save()
    _ = try ModelContainer(
      for: Schema(versionedSchema: SecondPiers.self),
      migrationPlan: PierPlan.self,
      configurations: [configuration]
    )
    #expect(throws: DataStoreError.schemaMismatch) {
      try context.fetch(FetchDescriptor<FirstPiers.Pier>())
    }
    #expect(throws: DataStoreError.schemaMismatch) {
      try context.fetchCount(FetchDescriptor<FirstPiers.Boat>())
    }
  }

  @Test func `of the first format is upgraded when it is opened`() throws {
    defer { _ = try? PostgreSQLStore.remove(configuration) }
    func age() throws {
      try run([
        "ALTER TABLE \(space)._meta DROP COLUMN save, DROP COLUMN previous_save",
        "ALTER TABLE \(space)._history DROP COLUMN stored_at",
        "UPDATE \(space)._meta SET format = 1",
      ])
    }
    let first = try ModelContainer(
      for: Schema(versionedSchema: FirstPiers.self),
      configurations: [configuration]
    )
    let context = ModelContext(first)
    context.insert(FirstPiers.Pier(name: "a", length: "12"))
    try context.save()
    try age()
    let again = try ModelContainer(
      for: Schema(versionedSchema: FirstPiers.self),
      configurations: [configuration]
    )
    try ModelContext(again).insertAndSave(FirstPiers.Pier(name: "b", length: "1"))
    try age()
    let second = try ModelContainer(
      for: Schema(versionedSchema: SecondPiers.self),
      migrationPlan: PierPlan.self,
      configurations: [configuration]
    )
    let last = ModelContext(second)
    #expect(try last.fetchCount(FetchDescriptor<SecondPiers.Pier>()) == 2)
    try last.insertAndSave(SecondPiers.Pier(title: "c"))
  }
}

extension ModelContext {
  fileprivate func insertAndSave(_ model: some PersistentModel) throws {
    insert(model)
    try save()
  }
}
