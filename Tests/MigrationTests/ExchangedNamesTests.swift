import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

/// A store of one program, in which another one exchanges the names of two properties.
///
/// All statements of the first program are still valid then.
@Suite("A store that was opened before names were exchanged")
struct ExchangedNamesTests {
  private func expectMismatch(_ comment: Comment, _ body: () throws -> Void) {
    do {
      try body()
      Issue.record("nothing was thrown, \(comment)")
    } catch let error as DataStoreError {
      #expect(error == .schemaMismatch, comment)
    } catch {
      #expect(((error as? SwiftDataError)?.cause as? DataStoreError) == .schemaMismatch)
    }
  }

  private func withStore(
    _ kind: StageStore,
    _ body: (ModelContainer, _ migrate: () throws -> Void) throws -> Void
  ) throws {
    let fixture = try StageFixture(kind)
    let container = try fixture.open(Names1.self)
    let context = ModelContext(container)
    for number in 1...5 { context.insert(Names1.Item("first \(number)", "second", number)) }
    try context.save()
    try body(container) {
      let container = try fixture.open(Names2.self, NamesPlan.self)
      let items = try ModelContext(container).fetch(FetchDescriptor<Names2.Item>())
      #expect(items.allSatisfy { $0.other.hasPrefix("first") && $0.name == "second" })
    }
  }

  private static var reads: [(name: Comment, read: (ModelContext) throws -> Void)] {
    [
      ("a fetch of all", { try check($0.fetch(FetchDescriptor<Names1.Item>())) }),
      (
        "a filter",
        {
          try check($0.fetch(FetchDescriptor<Names1.Item>(predicate: #Predicate { $0.number > 2 })))
        }
      ),
      (
        "an order",
        { try check($0.fetch(FetchDescriptor<Names1.Item>(sortBy: [SortDescriptor(\.number)]))) }
      ),
      (
        "a window",
        { context in
          var descriptor = FetchDescriptor<Names1.Item>(sortBy: [SortDescriptor(\.name)])
          descriptor.fetchLimit = 2
          try check(context.fetch(descriptor))
        }
      ),
      (
        "a count",
        { context in
          let descriptor = FetchDescriptor<Names1.Item>(
            predicate: #Predicate { $0.name == "second" }
          )
          let count = try context.fetchCount(descriptor)
          #expect(count == 0)
        }
      ),
      (
        "a selection",
        { context in
          let names = try context.fetch(FetchDescriptor<Names1.Item>(), select: \.name)
          #expect(names.allSatisfy { $0.hasPrefix("first") })
        }
      ),
      (
        "some properties",
        { context in
          var descriptor = FetchDescriptor<Names1.Item>()
          descriptor.propertiesToFetch = [\.name]
          try check(context.fetch(descriptor))
        }
      ),
      (
        "identifiers",
        { context in
          let descriptor = FetchDescriptor<Names1.Item>(
            predicate: #Predicate { $0.name == "second" }
          )
          let found = try context.fetchIdentifiers(descriptor)
          #expect(found.isEmpty)
        }
      ),
    ]
  }

  private static func check(_ items: [Names1.Item]) throws {
    for item in items { #expect(item.name.hasPrefix("first") && item.other == "second") }
  }

  /// Each read as the first one after the migration, and all others after it.
  @Test(arguments: StageStore.shared, reads.indices)
  func `refuses reads that no connection has made before`(_ kind: StageStore, first: Int) throws {
    try withStore(kind) { container, migrate in
      try migrate()
      let order = Self.reads[first...] + Self.reads[..<first]
      for (name, read) in order {
        expectMismatch(name) { try read(ModelContext(container)) }
      }
      for (name, read) in order {
        expectMismatch(name) { try read(ModelContext(container)) }
      }
    }
  }

  @Test(arguments: StageStore.shared, reads.indices)
  func `refuses other reads than those before`(_ kind: StageStore, used: Int) throws {
    try withStore(kind) { container, migrate in
      try Self.reads[used].read(ModelContext(container))
      try migrate()
      for (index, (name, read)) in Self.reads.enumerated() where index != used {
        expectMismatch(name) { try read(ModelContext(container)) }
      }
      expectMismatch(Self.reads[used].name) { try Self.reads[used].read(ModelContext(container)) }
    }
  }

  @Test(arguments: StageStore.shared)
  func `refuses to load values and to save`(_ kind: StageStore) throws {
    try withStore(kind) { container, migrate in
      let context = ModelContext(container)
      var descriptor = FetchDescriptor<Names1.Item>()
      descriptor.propertiesToFetch = [\.number]
      let items = try context.fetch(descriptor)
      try migrate()
      let (name, other) = (items[0].name, items[1].other)
      #expect(name != "second" && !other.hasPrefix("first"))
      expectMismatch("a save") { try context.save() }
      context.rollback()
      items[2].number = 9
      expectMismatch("a save of a change") { try context.save() }
      context.rollback()
      expectMismatch("a bulk update") {
        try context.update(model: Names1.Item.self, set: .set(\.name, to: "x"))
        try context.save()
      }
      context.rollback()
      expectMismatch("a history") {
        _ = try ModelContext(container).fetchHistory(
          HistoryDescriptor<DefaultHistoryTransaction>()
        )
      }
    }
  }
}

private enum Names1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Item.self] }

  @Model
  final class Item {
    var name: String
    var other: String
    var number: Int

    init(_ name: String, _ other: String, _ number: Int) {
      self.name = name
      self.other = other
      self.number = number
    }
  }
}

private enum Names2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Item.self] }

  @Model
  final class Item {
    @Attribute(originalName: "other") var name: String
    @Attribute(originalName: "name") var other: String
    var number: Int
    var rating = 0

    init(_ name: String) {
      self.name = name
      other = name
      number = 0
    }
  }
}

private enum NamesPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [Names1.self, Names2.self] }
  static var stages: [MigrationStage] {
    [.lightweight(fromVersion: Names1.self, toVersion: Names2.self)]
  }
}
