import Foundation
import StoreProtocol
import Testing

@testable import SQLiteStore

@Suite("A change of the schema without code")
struct StructureChangeTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("a.db")
  }

  private static func value(
    _ name: String,
    _ type: AttributeType = .string,
    was: String? = nil,
    isOptional: Bool = true,
    default defaultValue: StoreValue? = nil,
    options: [String] = []
  ) -> StoreProperty {
    StoreProperty(
      name: name,
      originalName: was,
      kind: .attribute(type),
      isOptional: isOptional,
      options: options,
      defaultValue: defaultValue
    )
  }

  private static func one(_ name: String, _ entity: String, inverse: String? = nil) -> StoreProperty
  {
    StoreProperty(
      name: name,
      kind: .toOne(StoreRelationship(destination: entity, inverse: inverse)),
      isOptional: true
    )
  }

  private static func many(
    _ name: String,
    _ entity: String,
    inverse: String? = nil,
    toOne: Bool = false
  ) -> StoreProperty {
    StoreProperty(
      name: name,
      kind: .toMany(
        StoreRelationship(destination: entity, inverse: inverse, inverseIsToOne: toOne)
      )
    )
  }

  private func entity(
    _ name: String,
    _ properties: [StoreProperty],
    of: String? = nil
  ) -> StoreEntity {
    StoreEntity(name: name, superentity: of, root: of, properties: properties)
  }

  /// Stores rows under one schema, opens them with another, and looks at what is there.
  @discardableResult
  private func change(
    _ old: [StoreEntity],
    _ rows: (SQLiteStore) throws -> Void,
    to new: [StoreEntity]
  ) throws -> SQLiteStore {
    do { try rows(try SQLiteStore.inFile(path, StoreSchema(entities: old))) }
    _ = try SQLiteStore.inFile(path, StoreSchema(entities: new))
    let store = try SQLiteStore.inFile(path, StoreSchema(entities: new))
    #expect(try store.verify() == [])
    return store
  }

  private func values(
    _ store: SQLiteStore,
    _ entity: String,
    _ name: String
  ) throws -> [StoreValue?] {
    try store.fetch(StoreQuery(entity: entity)).map { $0[name] }
  }

  @Test func `renames, removes and adds properties in one go`() throws {
    let old = entity("Trip", [Self.value("title"), Self.value("cost", .int32), Self.value("gone")])
    let new = entity(
      "Trip",
      [
        Self.value("name", was: "title"), Self.value("cost", .int64),
        Self.value("rating", .int64, isOptional: false, default: .integer(3)),
      ]
    )
    let store = try change(
      [old],
      {
        try $0.insert([.new(old, ["title": .string("e\u{301}"), "cost": .integer(7)]), .new(old)])
      },
      to: [new]
    )
    #expect(try values(store, "Trip", "name") == [.string("e\u{301}"), .null])
    #expect(try values(store, "Trip", "cost") == [.integer(7), .null])
    #expect(try values(store, "Trip", "rating") == [.integer(3), .integer(3)])
    // A text that is not composed has marked its column, under its newer name as well.
    let query = StoreQuery(
      entity: "Trip",
      filter: .compare(.equal, .property(.element(0), "name"), .constant(.string("\u{E9}")))
    )
    #expect(try store.count(query) == 1)
  }

  @Test func `widens numbers, and refuses those that do not fit`() throws {
    let old = entity("Trip", [Self.value("n", .int64), Self.value("m", .float)])
    let new = entity("Trip", [Self.value("n", .double), Self.value("m", .double)])
    let store = try change(
      [old],
      {
        try $0.insert([.new(old, ["n": .integer(1 << 53), "m": .double(0.5)])])
      },
      to: [new]
    )
    #expect(try values(store, "Trip", "n") == [.double(0x1p53)])
    #expect(try values(store, "Trip", "m") == [.double(0.5)])
  }

  @Test func `tells which rows do not fit, and changes nothing`() throws {
    let old = entity("Trip", [Self.value("n", .int64)])
    let new = entity("Trip", [Self.value("n", .double)])
    do {
      let store = try SQLiteStore.inFile(path, StoreSchema(entities: [old]))
      try store.insert([.new(old, ["n": .integer(1)]), .new(old, ["n": .integer((1 << 53) + 1)])])
    }
    let before = try Data(contentsOf: URL(filePath: path))
    let error = try #require(throws: DataStoreError.self) {
      try SQLiteStore.inFile(path, StoreSchema(entities: [new]))
    }
    #expect(error.code == .schemaMismatch)
    #expect(error.entity == "Trip" && error.property == "n")
    #expect(error.identifiers.map(\.key) == [.integer(2)])
    #expect(error.message.contains("1 row") && error.message.contains("int64 becomes double"))
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
  }

  @Test func `moves a property to the entity above`() throws {
    let animal = entity("Animal", [Self.value("name")])
    let dog = entity("Dog", animal.properties + [Self.value("age", .int64)], of: "Animal")
    let cat = entity("Cat", animal.properties + [Self.value("age", .int64)], of: "Animal")
    let new = entity("Animal", [Self.value("name"), Self.value("age", .int64)])
    let store = try change(
      [animal, dog, cat],
      {
        try $0.insert([
          .new(dog, ["age": .integer(1)]), .new(cat, ["age": .integer(2)]), .new(animal),
        ])
      },
      to: [
        new, entity("Dog", new.properties, of: "Animal"),
        entity("Cat", new.properties, of: "Animal"),
      ]
    )
    #expect(try values(store, "Animal", "age") == [.integer(1), .integer(2), .null])
    #expect(try values(store, "Dog", "age") == [.integer(1)])
  }

  @Test func `puts an entity under a new one, with what refers to it`() throws {
    let dog = entity("Dog", [Self.value("name")])
    let owner = entity("Owner", [Self.one("dog", "Dog"), Self.many("all", "Dog")])
    let animal = entity("Animal", [Self.value("name")])
    let store = try change(
      [dog, owner],
      {
        let dogs = try $0.insert([.new(dog, ["name": .string("a")]), .new(dog)])
        try $0.insert([.new(owner, ["dog": .identifier(dogs[0]), "all": .identifiers(dogs)])])
      },
      to: [animal, entity("Dog", animal.properties, of: "Animal"), owner]
    )
    #expect(try values(store, "Animal", "name") == [.string("a"), .null])
    let found = try #require(try store.fetch(StoreQuery(entity: "Owner")).first)
    let dogs = try store.identifiers(StoreQuery(entity: "Dog"))
    #expect(found["dog"] == .identifier(dogs[0]))
    #expect(found["all"] == .identifiers(dogs))
  }

  @Test func `makes a relationship to one lead to many`() throws {
    let place = entity("Place", [Self.value("name")])
    let old = entity("Trip", [Self.one("stay", "Place")])
    let new = entity("Trip", [Self.many("stay", "Place")])
    let store = try change(
      [place, old],
      {
        let places = try $0.insert([.new(place), .new(place)])
        try $0.insert([.new(old, ["stay": .identifier(places[1])]), .new(old)])
      },
      to: [place, new]
    )
    let places = try store.identifiers(StoreQuery(entity: "Place"))
    #expect(
      try values(store, "Trip", "stay") == [.identifiers([places[1]]), .identifiers([])]
    )
  }

  @Test func `keeps the order of members that said themselves where they belong`() throws {
    let stop = entity("Stop", [Self.one("trip", "Trip", inverse: "stops")])
    let trip = entity("Trip", [Self.many("stops", "Stop", inverse: "trip", toOne: true)])
    let newStop = entity("Stop", [Self.many("trip", "Trip", inverse: "stops")])
    let newTrip = entity("Trip", [Self.many("stops", "Stop", inverse: "trip")])
    let store = try change(
      [stop, trip],
      { store in
        let trips = try store.insert([.new(trip)])
        let stops = try store.insert(
          (0..<3).map { _ in .new(stop, ["trip": .identifier(trips[0])]) }
        )
        _ = try store.apply(
          StoreChanges(updated: [
            .change(trips[0], trip, ["stops": .identifiers([stops[2], stops[0]])])
          ])
        )
      },
      to: [newStop, newTrip]
    )
    let stops = try store.identifiers(StoreQuery(entity: "Stop"))
    #expect(try values(store, "Trip", "stops") == [.identifiers([stops[2], stops[0], stops[1]])])
    #expect(
      try store.fetch(StoreQuery(entity: "Stop")).allSatisfy { record in
        if case .identifiers(let list) = record["trip"] { list.count == 1 } else { false }
      }
    )
  }

  @Test func `tells equal values that are to be unique`() throws {
    let old = entity("Trip", [Self.value("name")])
    let new = StoreEntity(
      name: "Trip",
      properties: [Self.value("name")],
      uniquenessConstraints: [["name"]]
    )
    do {
      let store = try SQLiteStore.inFile(path, StoreSchema(entities: [old]))
      try store.insert(["a", "b", "a", "a"].map { .new(old, ["name": .string($0)]) })
    }
    let error = try #require(throws: DataStoreError.self) {
      try SQLiteStore.inFile(path, StoreSchema(entities: [new]))
    }
    #expect(error.property == "name" && error.message.contains("2 rows"))
    #expect(throws: Never.self) { try SQLiteStore.inFile(path, StoreSchema(entities: [old])) }
  }

  @Test func `keeps indexes of words, and tables of other programs`() throws {
    let old = entity("Note", [Self.value("text", options: ["fullText"]), Self.value("x")])
    let new = entity("Note", [Self.value("body", was: "text", options: ["fullText"])])
    let store = try change(
      [old],
      {
        try $0.insert([.new(old, ["text": .string("hello world")])])
        try $0.database.write { try $0.execute("CREATE TABLE \"_mine\"(a)") }
      },
      to: [new]
    )
    let query = StoreQuery(
      entity: "Note",
      filter: .searches(.property(.element(0), "body"), TextSearch("world"))
    )
    #expect(try store.count(query) == 1)
    let rows = try store.database.read { try $0.integer("SELECT count(*) FROM \"_mine\"") }
    #expect(rows == 0)
  }
}
