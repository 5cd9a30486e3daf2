import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("A structural change of a schema")
struct StructureTests {
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

  @Test(arguments: [EveryStore.sqlite, .json])
  func `a property whose name differs only by case is added and renamed`(kind: EveryStore) throws {
    let fixture = try StructureFixture(kind)
    let old = entity("Trip", [Self.value("userID")])
    let both = entity("Trip", [Self.value("userId", default: .string("b")), Self.value("userID")])
    do {
      let store = try fixture.change(
        [old],
        { try $0.insert([.new(old, ["userID": .string("a")])]) },
        to: [both]
      )
      #expect(try values(store, "Trip", "userID") == [.string("a")])
      #expect(try values(store, "Trip", "userId") == [.string("b")])
    }
    let renamed = entity("Trip", [Self.value("USERID", was: "userID"), Self.value("userId")])
    let store = try fixture.change([both], { _ in }, to: [renamed])
    #expect(try values(store, "Trip", "USERID") == [.string("a")])
    #expect(try values(store, "Trip", "userId") == [.string("b")])
  }

  private func entity(
    _ name: String,
    _ properties: [StoreProperty],
    of: String? = nil
  ) -> StoreEntity {
    StoreEntity(name: name, superentity: of, root: of, properties: properties)
  }

  private func values(
    _ store: any RecordStore,
    _ entity: String,
    _ name: String
  ) throws -> [StoreValue?] {
    try store.fetch(StoreQuery(entity: entity)).map { $0[name] }
  }

  @Test(arguments: EveryStore.files)
  func `renames, removes and adds properties at once`(_ kind: EveryStore) throws {
    let fixture = try StructureFixture(kind)
    let old = entity("Trip", [Self.value("title"), Self.value("cost", .int32), Self.value("gone")])
    let new = entity(
      "Trip",
      [
        Self.value("name", was: "title"), Self.value("cost", .int64),
        Self.value("rating", .int64, isOptional: false, default: .integer(3)),
      ]
    )
    let store = try fixture.change(
      [old],
      {
        try $0.insert([.new(old, ["title": .string("e\u{301}"), "cost": .integer(7)]), .new(old)])
      },
      to: [new]
    )
    #expect(try values(store, "Trip", "name") == [.string("e\u{301}"), .null])
    #expect(try values(store, "Trip", "cost") == [.integer(7), .null])
    #expect(try values(store, "Trip", "rating") == [.integer(3), .integer(3)])
    let query = StoreQuery(
      entity: "Trip",
      filter: .compare(.equal, .property(.element(0), "name"), .constant(.string("\u{E9}")))
    )
    #expect(try store.count(query) == 1)
  }

  @Test(arguments: EveryStore.files)
  func `keeps the values of a renamed property whose name is taken`(_ kind: EveryStore) throws {
    let fixture = try StructureFixture(kind)
    let old = entity("Trip", [Self.value("total")])
    let new = entity("Trip", [Self.value("total", .int64), Self.value("totalText", was: "total")])
    let store = try fixture.change(
      [old],
      { try $0.insert([.new(old, ["total": .string("7.5")])]) },
      to: [new]
    )
    #expect(try values(store, "Trip", "totalText") == [.string("7.5")])
    #expect(try values(store, "Trip", "total") == [.null])
  }

  @Test(arguments: EveryStore.files)
  func `a renamed property takes the name of a removed one, and then its values`(
    _ kind: EveryStore
  ) throws {
    let fixture = try StructureFixture(kind)
    let old = entity("Trip", [Self.value("title"), Self.value("name")])
    let new = entity("Trip", [Self.value("name", was: "title")])
    let store = try fixture.change(
      [old],
      { try $0.insert([.new(old, ["title": .string("t"), "name": .string("n")])]) },
      to: [new]
    )
    #expect(try values(store, "Trip", "name") == [.string("t")])
  }

  @Test(arguments: EveryStore.files)
  func `finds rows by a default value in another spelling`(_ kind: EveryStore) throws {
    let fixture = try StructureFixture(kind)
    let old = entity("Trip", [Self.value("title")])
    let name = Self.value("name", default: .string("e\u{301}"))
    let store = try fixture.change(
      [old],
      { try $0.insert([.new(old)]) },
      to: [entity("Trip", [Self.value("title"), name])]
    )
    let query = StoreQuery(
      entity: "Trip",
      filter: .compare(.equal, .property(.element(0), "name"), .constant(.string("\u{E9}")))
    )
    #expect(try store.count(query) == 1)
  }

  @Test(arguments: EveryStore.files)
  func `renames a list, and adds another with its older name`(_ kind: EveryStore) throws {
    let fixture = try StructureFixture(kind)
    let dog = entity("Dog", [])
    let old = entity("Owner", [Self.many("dogs", "Dog")])
    let renamed = StoreProperty(
      name: "all",
      originalName: "dogs",
      kind: .toMany(StoreRelationship(destination: "Dog"))
    )
    let store = try fixture.change(
      [dog, old],
      {
        let dogs = try $0.insert([.new(dog)])
        try $0.insert([.new(old, ["dogs": .identifiers(dogs)])])
      },
      to: [dog, entity("Owner", [renamed, Self.many("dogs", "Dog")])]
    )
    let owners = try store.identifiers(StoreQuery(entity: "Owner"))
    #expect(try store.members(of: "all", in: "Owner", owners: owners).values.map(\.count) == [1])
    #expect(try store.members(of: "dogs", in: "Owner", owners: owners).values.map(\.count) == [0])
  }

  @Test(arguments: EveryStore.files)
  func `widens numbers to double`(_ kind: EveryStore) throws {
    let fixture = try StructureFixture(kind)
    let old = entity("Trip", [Self.value("n", .int64), Self.value("m", .float)])
    let new = entity("Trip", [Self.value("n", .double), Self.value("m", .double)])
    let store = try fixture.change(
      [old],
      {
        try $0.insert([.new(old, ["n": .integer(1 << 53), "m": .double(0.5)])])
      },
      to: [new]
    )
    #expect(try values(store, "Trip", "n") == [.double(0x1p53)])
    #expect(try values(store, "Trip", "m") == [.double(0.5)])
  }

  @Test(arguments: EveryStore.files)
  func `reports values that the new type cannot represent, and changes nothing`(
    _ kind: EveryStore
  ) throws {
    let fixture = try StructureFixture(kind)
    let old = entity("Trip", [Self.value("n", .int64)])
    let new = entity("Trip", [Self.value("n", .double)])
    do {
      let store = try fixture.open([old])
      try store.insert([.new(old, ["n": .integer(1)]), .new(old, ["n": .integer((1 << 53) + 1)])])
    }
    let before = try Data(contentsOf: fixture.url)
    let error = try #require(throws: DataStoreError.self) {
      try fixture.open([new])
    }
    #expect(error == .schemaMismatch)
    #expect(error.entity == "Trip" && error.property == "n")
    #expect(error.identifiers.map(\.key) == [.integer(2)])
    #expect(error.message.contains("1 row") && error.message.contains("int64 becomes double"))
    #expect(try Data(contentsOf: fixture.url) == before)
  }

  @Test(arguments: EveryStore.files)
  func `explains how to supply a missing value`(_ kind: EveryStore) throws {
    let fixture = try StructureFixture(kind)
    let old = [entity("Book", [Self.value("title")])]
    do { try fixture.open(old).insert([.new(old[0])]) }
    let title = Self.value("title", isOptional: false)
    let existing = try #require(throws: DataStoreError.self) {
      try fixture.open([entity("Book", [title])])
    }
    #expect(existing.message.contains("fix the rows in the willMigrate of a custom stage"))
    // The rows of an older version cannot have a new property.
    let shelf = Self.value("shelf", isOptional: false)
    let added = try #require(throws: DataStoreError.self) {
      try fixture.open([entity("Book", old[0].properties + [shelf])])
    }
    #expect(added.property == "shelf")
    #expect(added.message.contains("give it a default value, make it optional, or set it in the"))
  }

  @Test(arguments: EveryStore.files)
  func `moves a property to the superentity`(_ kind: EveryStore) throws {
    let fixture = try StructureFixture(kind)
    let animal = entity("Animal", [Self.value("name")])
    let dog = entity("Dog", animal.properties + [Self.value("age", .int64)], of: "Animal")
    let cat = entity("Cat", animal.properties + [Self.value("age", .int64)], of: "Animal")
    let new = entity("Animal", [Self.value("name"), Self.value("age", .int64)])
    let store = try fixture.change(
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

  @Test(arguments: EveryStore.files)
  func `an entity without its superentity loses inherited lists, and must not be referred to`(
    _ kind: EveryStore
  ) throws {
    let fixture = try StructureFixture(kind)
    let animal = entity("Animal", [Self.many("toys", "Toy")])
    let dog = entity("Dog", animal.properties, of: "Animal")
    let toy = entity("Toy", [])
    let loose = [animal, entity("Dog", []), toy]
    let store = try fixture.change(
      [animal, dog, toy],
      {
        let toys = try $0.insert([.new(toy)])
        try $0.insert([.new(dog, ["toys": .identifiers(toys)])])
      },
      to: loose
    )
    #expect(try store.count(StoreQuery(entity: "Dog")) == 1)
    let owned = try StructureFixture(kind)
    let owner = entity("Owner", [Self.one("animal", "Animal")])
    do { _ = try owned.open([animal, dog, toy, owner]) }
    let error = try #require(throws: DataStoreError.self) { try owned.open(loose + [owner]) }
    #expect(error == .schemaMismatch)
    #expect(error.entity == "Owner" && error.property == "animal")
    #expect(error.message.contains("of which Dog is no longer a kind"))
  }

  @Test(arguments: EveryStore.files)
  func `gives an entity a new superentity, and keeps references to it`(_ kind: EveryStore) throws {
    let fixture = try StructureFixture(kind)
    let dog = entity("Dog", [Self.value("name")])
    let owner = entity("Owner", [Self.one("dog", "Dog"), Self.many("all", "Dog")])
    let animal = entity("Animal", [Self.value("name")])
    let store = try fixture.change(
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

  @Test(arguments: EveryStore.files)
  func `converts a to-one relationship to to-many`(_ kind: EveryStore) throws {
    let fixture = try StructureFixture(kind)
    let site = entity("Place", [Self.value("name")])
    let old = entity("Trip", [Self.one("stay", "Place")])
    let new = entity("Trip", [Self.many("stay", "Place")])
    let store = try fixture.change(
      [site, old],
      {
        let places = try $0.insert([.new(site), .new(site)])
        try $0.insert([.new(old, ["stay": .identifier(places[1])]), .new(old)])
      },
      to: [site, new]
    )
    let places = try store.identifiers(StoreQuery(entity: "Place"))
    #expect(
      try values(store, "Trip", "stay") == [.identifiers([places[1]]), .identifiers([])]
    )
  }

  @Test(arguments: EveryStore.files)
  func `keeps the order of related objects that joined through their inverse`(
    _ kind: EveryStore
  ) throws {
    let fixture = try StructureFixture(kind)
    let stop = entity("Stop", [Self.one("trip", "Trip", inverse: "stops")])
    let trip = entity("Trip", [Self.many("stops", "Stop", inverse: "trip", toOne: true)])
    let newStop = entity("Stop", [Self.many("trip", "Trip", inverse: "stops")])
    let newTrip = entity("Trip", [Self.many("stops", "Stop", inverse: "trip")])
    let store = try fixture.change(
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

  @Test(arguments: EveryStore.files)
  func `renames a to-many relationship`(_ kind: EveryStore) throws {
    let fixture = try StructureFixture(kind)
    let tag = entity("Tag", [Self.value("name")])
    let old = entity("Trip", [Self.many("tags", "Tag")])
    let labels = StoreProperty(
      name: "labels",
      originalName: "tags",
      kind: .toMany(StoreRelationship(destination: "Tag"))
    )
    let store = try fixture.change(
      [tag, old],
      {
        let tags = try $0.insert([.new(tag), .new(tag)])
        try $0.insert([.new(old, ["tags": .identifiers([tags[1], tags[0]])])])
      },
      to: [tag, entity("Trip", [labels])]
    )
    let tags = try store.identifiers(StoreQuery(entity: "Tag"))
    #expect(try values(store, "Trip", "labels") == [.identifiers([tags[1], tags[0]])])
  }

  @Test(arguments: EveryStore.files)
  func `keeps values if an entity inside a hierarchy is removed`(
    _ kind: EveryStore
  ) throws {
    let fixture = try StructureFixture(kind)
    let top = entity("Top", [Self.value("a")])
    let middle = StoreEntity(
      name: "Middle",
      superentity: "Top",
      root: "Top",
      properties: top.properties + [Self.value("b")]
    )
    let leaf = { (above: String) in
      StoreEntity(
        name: "Leaf",
        superentity: above,
        root: "Top",
        properties: middle.properties + [Self.value("c")]
      )
    }
    let store = try fixture.change(
      [top, middle, leaf("Middle")],
      {
        try $0.insert([
          .new(leaf("Middle"), ["a": .string("1"), "b": .string("2"), "c": .string("3")]),
          .new(top, ["a": .string("4")]),
        ])
      },
      to: [top, leaf("Top")]
    )
    #expect(try values(store, "Top", "a") == [.string("1"), .string("4")])
    #expect(try values(store, "Leaf", "b") == [.string("2")])
  }

  @Test(arguments: EveryStore.files)
  func `reports equal values of a property that becomes unique`(_ kind: EveryStore) throws {
    let fixture = try StructureFixture(kind)
    let old = entity("Trip", [Self.value("name")])
    let new = StoreEntity(
      name: "Trip",
      properties: [Self.value("name")],
      uniquenessConstraints: [["name"]]
    )
    do {
      let store = try fixture.open([old])
      try store.insert(["a", "b", "a", "a"].map { .new(old, ["name": .string($0)]) })
    }
    let error = try #require(throws: DataStoreError.self) {
      try fixture.open([new])
    }
    #expect(error.property == "name" && error.message.contains("2 rows"))
    #expect(throws: Never.self) { try fixture.open([old]) }
  }

  @Test func `stops if rows of a document's unchanged entity have equal unique values`() throws {
    let fixture = try StructureFixture(.json)
    let still = StoreEntity(
      name: "Still",
      properties: [Self.value("name")],
      uniquenessConstraints: [["name"]]
    )
    let old = entity("Note", [Self.value("text")])
    let new = entity("Note", [Self.value("body", was: "text")])
    do {
      let store = try fixture.open([still, old])
      try store.insert(["first", "other"].map { .new(still, ["name": .string($0)]) })
      try store.insert([.new(old, ["text": .string("hello")])])
      try (store as? any MaintainableStore)?.compact()
    }
    // These equal values were written manually.
    let text = try String(contentsOf: fixture.url, encoding: .utf8)
    try Data(text.replacing("other", with: "first").utf8).write(to: fixture.url)
    let error = try #require(throws: DataStoreError.self) { try fixture.open([still, new]) }
    #expect(error == .storeDamaged && error.entity == "Still" && error.property == "name")
    try Data(text.utf8).write(to: fixture.url)
    let store = try fixture.open([still, new])
    #expect(try store.fetch(StoreQuery(entity: "Note")).map { $0["body"] } == [.string("hello")])
    #expect(try store.count(StoreQuery(entity: "Still")) == 2)
  }

  @Test(arguments: EveryStore.files)
  func `removes an entity and references to it if a plan allows it`(_ kind: EveryStore) throws {
    let fixture = try StructureFixture(kind)
    let pet = entity("Pet", [Self.value("name")])
    let old = entity("Trip", [Self.one("pet", "Animal"), Self.many("all", "Animal")])
    let animal = entity("Animal", [])
    let dog = entity("Dog", [], of: "Animal")
    do {
      let store = try fixture.open([pet, old, animal, dog])
      let ids = try store.insert([.new(pet), .new(dog), .new(animal)])
      try store.insert([
        .new(old, ["pet": .identifier(ids[1]), "all": .identifiers([ids[1], ids[2]])])
      ])
    }
    #expect(throws: DataStoreError.schemaMismatch) { try fixture.open([old, animal]) }
    let migration = try #require(try fixture.begin())
    let report = try migration.changeStructure(
      through: [StructureChange(to: StoreSchema(entities: [old, animal]), removesEntities: true)],
      progress: { _, _ in }
    )
    migration.end()
    #expect(report.rowsRemoved == 2)
    let store = try fixture.open([old, animal])
    let animals = try store.identifiers(StoreQuery(entity: "Animal"))
    #expect(animals.count == 1)
    let trip = try #require(try store.fetch(StoreQuery(entity: "Trip")).first)
    #expect(trip["pet"] == .null)
    let related = try store.members(of: "all", in: "Trip", owners: [trip.persistentIdentifier])
    #expect(related.values.first == animals)
    #expect(try (store as? any MaintainableStore)?.verify() == [])
  }
}
