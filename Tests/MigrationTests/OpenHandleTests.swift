import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

/// A store of one program that another one migrates meanwhile.
@Suite("A store that was opened before a migration")
struct OpenHandleTests {
  private let text = "another program migrated the store to 2.0.0; restart with the new models"

  private func withStores(
    _ kind: StageStore,
    _ body: (ModelContainer, _ migrate: () throws -> Void) throws -> Void
  ) throws {
    let fixture = try StageFixture(kind)
    let container = try fixture.open(Swap1.self)
    let context = ModelContext(container)
    let group = Swap1.Group("g")
    for number in 1...5 { context.insert(Swap1.Item("first \(number)", "second", group)) }
    try context.save()
    try body(container) { _ = try fixture.open(Swap2.self, SwapPlan.self) }
  }

  private func expectMismatch(_ body: () throws -> Void) {
    do {
      try body()
      Issue.record("nothing was thrown")
    } catch let error as DataStoreError {
      #expect(error == .schemaMismatch && error.message == text)
    } catch {
      Issue.record("\(error)")
    }
  }

  @Test(arguments: StageStore.shared)
  func `refuses each kind of read, also by statements that it has used before`(
    _ kind: StageStore
  ) throws {
    try withStores(kind) { container, migrate in
      let all = FetchDescriptor<Swap1.Item>(sortBy: [SortDescriptor(\.name)])
      let some = FetchDescriptor<Swap1.Item>(predicate: #Predicate { $0.name == "first 1" })
      let none = FetchDescriptor<Swap1.Item>(predicate: #Predicate { $0.name == "second" })
      let gone = FetchDescriptor<Swap1.Item>(predicate: #Predicate { $0.gone == "x" })
      let reads: [(ModelContext) throws -> Void] = [
        { _ = try $0.fetch(all) },
        { _ = try $0.fetch(some) },
        { _ = try $0.fetch(none) },
        { _ = try $0.fetch(gone) },
        { _ = try $0.fetchCount(all) },
        { _ = try $0.fetchCount(none) },
        { _ = try $0.fetchIdentifiers(some) },
        { _ = try $0.fetch(FetchDescriptor<Swap1.Group>()) },
        { _ = try $0.fetch(all, batchSize: 2).first?.name },
        { _ = try $0.aggregate(FetchDescriptor<Swap1.Item>(), .count) },
      ]
      for read in reads { try read(ModelContext(container)) }
      let context = ModelContext(container)
      let item = try #require(try context.fetch(some).first)
      let group = try #require(try context.fetch(FetchDescriptor<Swap1.Group>()).first)
      try migrate()
      for read in reads { expectMismatch { try read(ModelContext(container)) } }
      // No row is read under the old names.
      let store = try #require(container.stores.first as? any RecordStore)
      expectMismatch { try store.read(StoreQuery(entity: "Item")) { _ in Issue.record("a row") } }
      // A new statement that no connection has prepared.
      let other = FetchDescriptor<Swap1.Item>(
        predicate: #Predicate { $0.name > "a" && $0.gone < "b" }
      )
      expectMismatch { _ = try ModelContext(container).fetch(other) }
      expectMismatch { try context.refresh(item) }
      // A relationship is empty, and the error is kept for the save.
      _ = group.items.count
      let error = try #require(throws: SwiftDataError.self) { try context.save() }
      #expect((error.cause as? DataStoreError)?.message == text)
      item.name = "new"
      expectMismatch { try context.save() }
    }
  }

  @Test(arguments: StageStore.shared)
  func `refuses a read on a connection that it opens after the migration`(
    _ kind: StageStore
  ) throws {
    try withStores(kind) { container, migrate in
      try migrate()
      let all = FetchDescriptor<Swap1.Item>(sortBy: [SortDescriptor(\.name)])
      expectMismatch { _ = try ModelContext(container).fetch(all) }
      // A save keeps the connection of the writer, so that the next read opens another.
      let context = ModelContext(container)
      context.insert(Swap1.Group("h"))
      expectMismatch { try context.save() }
      expectMismatch { _ = try ModelContext(container).fetch(all) }
    }
  }

  // On PostgreSQL the migration waits until these reads end.
  @Test(arguments: [StageStore.sqlite])
  func `completes reads of one state, and refuses the next read`(_ kind: StageStore) throws {
    try withStores(kind) { container, migrate in
      let store = try #require(container.stores.first as? any RecordStore)
      let query = StoreQuery(entity: "Item")
      try store.readingOneState {
        #expect(try store.count(query) == 5)
        try migrate()
        #expect(try store.count(query) == 5)
        #expect(
          try store.fetch(query).compactMap { $0["other"] }
            == Array(repeating: .string("second"), count: 5)
        )
      }
      expectMismatch { _ = try store.count(query) }
    }
  }

  @Test(arguments: StageStore.shared)
  func `reads on if another program opens it with the same models`(_ kind: StageStore) throws {
    let fixture = try StageFixture(kind)
    let container = try fixture.open(Swap1.self)
    let context = ModelContext(container)
    context.insert(Swap1.Group("g"))
    try context.save()
    let other = ModelContext(try fixture.open(Swap1.self))
    other.insert(Swap1.Group("h"))
    try other.save()
    #expect(try context.fetchCount(FetchDescriptor<Swap1.Group>()) == 2)
  }
}

private enum Swap1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Item.self, Group.self] }

  @Model
  final class Item {
    var name: String
    var other: String
    var gone: String = ""
    var group: Group?

    init(_ name: String, _ other: String, _ group: Group) {
      self.name = name
      self.other = other
      self.group = group
    }
  }

  @Model
  final class Group {
    var title: String
    @Relationship(inverse: \Item.group) var items: [Item] = []

    init(_ title: String) { self.title = title }
  }
}

/// The values of one column are under the name of another one, and a column is gone.
private enum Swap2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Item.self, Group.self] }

  @Model
  final class Item {
    @Attribute(originalName: "other") var name: String
    @Attribute(originalName: "name") var label: String
    var group: Group?

    init(_ name: String) { (self.name, label) = (name, name) }
  }

  @Model
  final class Group {
    var title: String
    var size: Int = 0
    @Relationship(inverse: \Item.group) var items: [Item] = []

    init(_ title: String) { self.title = title }
  }
}

private enum SwapPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [Swap1.self, Swap2.self] }
  static var stages: [MigrationStage] {
    [.lightweight(fromVersion: Swap1.self, toVersion: Swap2.self)]
  }
}
