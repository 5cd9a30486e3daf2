import Foundation
import OpenSwiftData
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreProtocol
import StoreTestSupport
import Testing

@Model class Cargo {
  var label: String
  var note: String?
  var weight: Int
  var stops: Int8
  var dock: Dock?
  @Attribute(.preserveValueOnDeletion) var code: Int

  init(_ number: Int, dock: Dock?) {
    (label, weight, stops, code) = ("c\(number)", number, Int8(number % 100), number)
    note = number % 4 == 0 ? nil : "n\(number % 3)"
    self.dock = dock
  }
}

@available(iOS 26, macOS 26, *)
@Model final class FragileCargo: Cargo {
  var layers = 1

  init(fragile number: Int, dock: Dock?) { super.init(number, dock: dock) }
}

@Model final class Dock {
  var name: String
  @Relationship(inverse: \Cargo.dock) var cargos: [Cargo] = []
  /// A list without an inverse.
  var urgent: [Cargo] = []
  var ships: [Vessel] = []

  init(_ name: String) { self.name = name }
}

@Model final class Vessel {
  var name: String
  @Relationship(inverse: \Dock.ships) var docks: [Dock] = []

  init(_ name: String) { self.name = name }
}

/// A unique combination with a reference.
@Model final class Slot {
  #Unique<Slot>([\.dock, \.number])
  var dock: Dock?
  var number: Int

  init(_ number: Int, dock: Dock?) { (self.number, self.dock) = (number, dock) }
}

@Suite(
  .enabled(
    if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
    "no PostgreSQL server is installed"
  )
)
struct `Bulk changes in PostgreSQL` {
  private static let schema = Schema(
    [Cargo.self, FragileCargo.self, Dock.self, Vessel.self, Slot.self]
  )

  private func withContainer(
    content: HistoryOptions.Content = .on,
    _ body: (ModelContainer, PostgreSQLStore) throws -> Void
  ) throws {
    var connection = try PrivateCluster.shared().configuration()
    // A pool of its own, so that other tests make no round trips on its connection.
    connection.parameters["application_name"] = UUID().uuidString
    var configuration = try PostgreSQLStoreConfiguration(
      connection,
      databaseSchema: "b" + UUID().uuidString,
      schema: Self.schema
    )
    configuration.history.content = content
    defer { try? SchemaFixture().destroy(configuration) }
    let container = try ModelContainer(for: Self.schema, configurations: configuration)
    try body(container, try PostgreSQLStore(configuration))
  }

  private func fill(_ container: ModelContainer, seed: Int = 0) throws {
    let context = ModelContext(container)
    let docks = ["a", "b", "c"].map(Dock.init)
    let vessels = ["x", "y"].map(Vessel.init)
    for model in docks { context.insert(model) }
    docks[0].ships = vessels
    docks[1].ships = [vessels[1]]
    var cargos = (0..<20).map { Cargo($0 + seed, dock: docks[($0 + seed) % 3]) }
    cargos += (20..<26).map { FragileCargo(fragile: $0 + seed, dock: docks[$0 % 2]) }
    for cargo in cargos { context.insert(cargo) }
    // A row with a string that is not in composed form.
    cargos[5].note = "e\u{301}"
    docks[2].urgent = [cargos[7], cargos[1], cargos[22], cargos[4]]
    for number in 0..<4 { context.insert(Slot(number, dock: docks[number % 2])) }
    try context.save()
  }

  /// All values of all objects.
  private func content(_ container: ModelContainer) throws -> [String] {
    let context = ModelContext(container)
    let byLabel = FetchDescriptor<Cargo>(sortBy: [SortDescriptor(\.code)])
    let cargos = try context.fetch(byLabel).map { cargo in
      let note = cargo.note.map { "\(Array($0.unicodeScalars))" } ?? "nil"
      return "\(type(of: cargo)) \(cargo.label) \(note) \(cargo.weight) \(cargo.stops) "
        + "\(cargo.dock?.name ?? "-")"
    }
    let docks = try context.fetch(FetchDescriptor<Dock>(sortBy: [SortDescriptor(\.name)])).map {
      "\($0.name) \($0.cargos.map(\.code)) \($0.urgent.map(\.code)) \($0.ships.map(\.name))"
    }
    let vessels = try context.fetch(FetchDescriptor<Vessel>(sortBy: [SortDescriptor(\.name)])).map {
      "\($0.name) \($0.docks.map(\.name))"
    }
    let slots = try context.fetch(FetchDescriptor<Slot>(sortBy: [SortDescriptor(\.number)])).map {
      "\($0.number) \($0.dock?.name ?? "-")"
    }
    return cargos + docks + vessels + slots
  }

  private typealias Change = @Sendable (ModelContext) throws -> Int?

  private static func update(
    _ predicate: Predicate<Cargo>,
    _ update: PropertyUpdate<Cargo>
  ) -> Change {
    { try $0.update(model: Cargo.self, where: predicate, set: update) }
  }

  private static func delete<T: PersistentModel>(_ predicate: Predicate<T>) -> Change {
    {
      try $0.delete(model: T.self, where: predicate)
      return nil
    }
  }

  private static let changes: [Change] = [
    update(#Predicate { $0.weight > 10 }, .set(\.weight, to: #Expression { $0.weight + 5 })),
    update(#Predicate { $0.stops < 9 }, .set(\.stops, to: #Expression { $0.stops * 2 - 1 })),
    update(#Predicate { $0.note == "n1" }, .set(\.note, to: "new")),
    update(#Predicate { $0.weight < 9 }, .set(\.note, to: nil)),
    update(#Predicate { $0.weight > 3 }, .set(\.label, to: "o\u{308}")),
    update(#Predicate { $0.weight > 3 }, .set(\.label, to: "plain")),
    update(#Predicate { $0.dock?.name == "a" }, .set(\.stops, to: -3)),
    delete(#Predicate<Cargo> { $0.weight > 4 && $0.weight < 9 }),
    delete(#Predicate<FragileCargo> { $0.weight > 21 }),
    delete(#Predicate<Dock> { $0.name == "b" }),
    delete(#Predicate<Vessel> { $0.name != "y" }),
  ]

  @Test(arguments: 0..<6)
  func `have the same effect as in memory, in any order`(seed: Int) throws {
    let memory = try ModelContainer(for: Self.schema, store: "memory:")
    try fill(memory, seed: seed)
    var order = Array(Self.changes.indices)
    var generator = SeededGenerator(seed: UInt64(seed))
    order.shuffle(using: &generator)
    try withContainer { container, store in
      try fill(container, seed: seed)
      #expect(try content(container) == content(memory))
      for index in order {
        let results = try [memory, container].map { container in
          let context = ModelContext(container)
          let count = try Self.changes[index](context)
          // Some saves contain two bulk changes, and a new object.
          if index % 3 == 0 {
            try context.delete(model: Slot.self, where: #Predicate { $0.number == 2 })
            context.insert(Slot(9 + index, dock: nil))
          }
          try context.save()
          return count
        }
        #expect(results[0] == results[1], "change \(index) of \(order)")
        #expect(try content(container) == content(memory), "change \(index) of \(order)")
      }
      #expect(try !store.transactions(StoreHistoryQuery()).isEmpty)
    }
  }

  private func query(_ entity: String, _ property: String, atLeast number: Int64) -> StoreQuery {
    let value = QueryExpression.property(.element(0), property)
    return StoreQuery(
      entity: entity,
      filter: .compare(.greaterOrEqual, value, .constant(.integer(number)))
    )
  }

  private func more(_ property: String, _ type: AttributeType, _ number: Int64) -> StoreAssignment {
    StoreAssignment(
      property,
      .arithmetic(.add, .property(.element(0), property), .constant(.integer(number)), type)
    )
  }

  private func roundTrips(in store: PostgreSQLStore, _ body: () throws -> Void) throws -> Int {
    let before = try store.roundTrips()
    try body()
    return try store.roundTrips() - before
  }

  @Test func `take as many round trips for many rows as for one`() throws {
    try withContainer { container, store in
      try fill(container)
      // Only the first save looks for expired transactions of the history.
      _ = try store.apply(StoreChanges())
      let update = BulkChange.update(
        query("Cargo", "weight", atLeast: 0),
        [more("weight", .int64, 1)]
      )
      var updated = 0
      let updating = try roundTrips(in: store) {
        updated = try store.apply(StoreChanges(bulkChanges: [update])).updated.count
      }
      #expect(updated == 26)
      // The number of the save; the check for overflow; the statement; COMMIT.
      #expect(updating == 4)
      let deletion = BulkChange.delete(query("Cargo", "weight", atLeast: 10))
      var deleted = 0
      let deleting = try roundTrips(in: store) {
        deleted = try store.apply(StoreChanges(bulkChanges: [deletion])).deleted.count
      }
      #expect(deleted == 17)
      // The number; the preserved values; the statement; the references to the rows; COMMIT.
      #expect(deleting == 5)
    }
  }

  @Test func `are in the history, with references that became nil and preserved values`() throws {
    try withContainer { container, store in
      try fill(container)
      let deletion = BulkChange.delete(StoreQuery(entity: "Dock"))
      let cargos = BulkChange.delete(query("Cargo", "code", atLeast: 24))
      let result = try store.apply(StoreChanges(bulkChanges: [cargos, deletion]))
      let changes = try #require(store.transactions(StoreHistoryQuery()).last).changes
      let kinds = Dictionary(grouping: changes, by: \.kind).mapValues(\.count)
      // 26 cargos less two lost their dock, 4 slots theirs, and 2 vessels theirs.
      #expect(kinds == [.delete: 5, .update: 24 + 4 + 2])
      #expect(Set(changes.filter { $0.kind == .delete }.map(\.identifier)) == Set(result.deleted))
      let preserved = changes.compactMap { $0.before["code"] }
      #expect(Set(preserved) == [.integer(24), .integer(25)])
      let causes = Set(changes.filter { $0.kind == .update }.map(\.cause))
      #expect(causes == [.deleteRule])
      // Equal numbers are allowed without a dock.
      #expect(try store.count(of: "Slot", where: "_u0 IS NOT NULL") == 0)
    }
  }

  @Test func `whose numbers overflow change nothing`() throws {
    try withContainer { container, store in
      try fill(container)
      for (property, type, number) in [
        ("weight", AttributeType.int64, Int64.max), ("stops", .int8, 120),
      ] {
        let update = BulkChange.update(
          query("Cargo", "weight", atLeast: 0),
          [more(property, type, number)]
        )
        #expect(try !store.plan(.change(update)).isComplete)
        let error = #expect(throws: DataStoreError.self) {
          try store.apply(StoreChanges(bulkChanges: [update]))
        }
        #expect(error == .invalidValue)
        #expect(error?.property == property)
      }
      let context = ModelContext(container)
      #expect(throws: DataStoreError.self) {
        try context.update(
          model: Cargo.self,
          set: .set(\.weight, to: #Expression { $0.weight + 9_223_372_036_854_775_807 })
        )
      }
      #expect(try context.fetch(FetchDescriptor<Cargo>()).map(\.weight).max() == 25)
    }
  }

  @Test func `that SQL cannot express are left to the context`() throws {
    try withContainer { _, store in
      let all = StoreQuery(entity: "Cargo")
      func expectUnsupported(_ change: BulkChange) throws {
        #expect(try !store.plan(.change(change)).isComplete)
        let error = #expect(throws: DataStoreError.self) {
          try store.apply(StoreChanges(bulkChanges: [change]))
        }
        #expect(error == .unsupportedFeature)
      }
      let values: [(String, StoreValue)] = [
        ("label", .string("e\u{301}")), ("label", .null), ("stops", .integer(128)),
        ("weight", .string("x")),
      ]
      for (property, value) in values {
        try expectUnsupported(.update(all, [StoreAssignment(property, .constant(value))]))
      }
      let number = StoreAssignment("number", .constant(.integer(1)))
      try expectUnsupported(.update(StoreQuery(entity: "Slot"), [number]))
      let both = [more("weight", .int64, 1), StoreAssignment("label", .constant(.string("a")))]
      try expectUnsupported(.update(all, both))
    }
    // The history of values needs the values of each row.
    try withContainer(content: .values) { container, store in
      #expect(store.capabilities.batchDelete == .emulated)
      try fill(container)
      let context = ModelContext(container)
      try context.delete(model: Cargo.self, where: #Predicate { $0.weight > 3 })
      try context.save()
      #expect(try store.count(StoreQuery(entity: "Cargo")) == 4)
    }
  }
}
