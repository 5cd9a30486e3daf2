import StoreProtocol

/// Rules about opening, reopening and erasing.
enum LifecycleRules {
  static let all: [Rule] = [
    Rule("LIFE-001", "A new store is empty.", newStoreIsEmpty),
    Rule("LIFE-002", "A store has the schema with which it was opened.", schemaIsKept),
    Rule("LIFE-003", "Each store has an identifier that no other store has.", identifiers),
    Rule("LIFE-004", "Two stores do not share rows.", storesAreApart),
    Rule("LIFE-005", "Creating a store without a schema throws.", schemaIsNeeded),
    Rule("LIFE-006", "Erasing removes all rows of all entities.", eraseRemovesAll),
    .durable("LIFE-008", "A reopened store has its old identifier.", identifierIsKept),
    .durable(
      "LIFE-009",
      "Insertions, updates and deletions persist when the store is reopened.",
      changesAreKept
    ),
    .durable(
      "LIFE-011",
      "A store that is reopened without a schema has the schema of its creation.",
      schemaIsFound
    ),
    .second(
      "LIFE-013",
      "Opening with a contradictory schema throws `invalidConfiguration`.",
      wrongSchema
    ),
    .durable(
      "LIFE-014",
      "A closed store throws `storeClosed`, or executes the request.",
      since: 2,
      closing
    ),
  ]

  private static func newStoreIsEmpty(_ bench: StoreBench) throws {
    for entity in Sample.schema.storeSchema.entities {
      let query = StoreQuery(entity: entity.name)
      try expect("the rows of \(entity.name)", bench.store.fetch(query).count, equals: 0)
      try expect("the count of \(entity.name)", bench.store.count(query), equals: 0)
    }
  }

  private static func wrongSchema(_ bench: StoreBench) throws {
    for properties in [
      [SampleEntities.toOne("nowhere", "Nowhere", inverse: "leaf")],
      [SampleEntities.attribute("name", .string), SampleEntities.attribute("name", .int64)],
    ] {
      let schema = StoreSchema(entities: [StoreEntity(name: "Leaf", properties: properties)])
      try expect("opening with a wrong schema", throws: .invalidConfiguration) {
        try bench.open(Schema(storeSchema: schema))
      }
    }
    try bench.open(Sample.schema)
    try bench.insert("Person", ["name": .string("Ada")])
    try expect("the rows", bench.names(of: "Person"), equals: ["Ada"])
  }

  private static func closing(_ bench: StoreBench) throws {
    try bench.insert("Person", ["name": .string("Ada")])
    // This is a separate function, because a store may hold its location as long as it is
    // referenced.
    let names = try namesAfterClosing(bench)
    try bench.reopen()
    try expect("the rows", bench.names(of: "Person"), equals: names)
  }

  /// Closes the store, and returns the names that it must have when it is opened again.
  private static func namesAfterClosing(_ bench: StoreBench) throws -> [String] {
    let store = try bench.untraced
    try store.close()
    try store.close()
    var names = ["Ada"]
    do {
      let record = try Sample.record("Person", ["name": .string("Bob")])
      _ = try store.apply(StoreChanges(inserted: [record]))
      names.append("Bob")
    } catch DataStoreError.storeClosed {}
    do {
      let found = try store.fetch(StoreQuery(entity: "Person")).map { $0["name"] }
      try expect("the rows of a closed store", found, equals: names.map(StoreValue.string))
    } catch DataStoreError.storeClosed {}
    return names
  }

  private static func schemaIsKept(_ bench: StoreBench) throws {
    let schema = try bench.store.schema.storeSchema
    try expect("the schema", schema == bench.schema.storeSchema, "the schema it was opened with")
  }

  private static func identifiers(_ bench: StoreBench) throws {
    let identifier = try bench.store.identifier
    try expect("the identifier", !identifier.isEmpty, "a string that is not empty")
    let other = try bench.withNeighbour { try $0.store.identifier }
    try expect("the identifiers of two stores", identifier != other, "different ones")
  }

  private static func storesAreApart(_ bench: StoreBench) throws {
    try bench.insert("Person", ["name": .string("Ada")])
    let names = try bench.withNeighbour { try $0.names(of: "Person") }
    try expect("the rows of another store", names, equals: [])
  }

  private static func schemaIsNeeded(_ bench: StoreBench) throws {
    try expect("opening without a schema", throws: .invalidConfiguration) {
      try bench.open(nil)
    }
  }

  private static func eraseRemovesAll(_ bench: StoreBench) throws {
    let owner = try bench.insert("Person", ["name": .string("Ada")])
    let cat = try bench.insert("Cat", ["name": .string("Tom"), "owner": .identifier(owner)])
    try bench.insert("Group", ["members": .identifiers([owner])])
    try bench.store.erase()
    for entity in Sample.schema.storeSchema.entities {
      try expect("the rows of \(entity.name)", bench.names(of: entity.name), equals: [])
    }
    try expect("the row \(cat)", bench.record(cat), equals: nil)
  }

  private static func identifierIsKept(_ bench: StoreBench) throws {
    let before = try bench.store.identifier
    try bench.reopen()
    try expect("the identifier", bench.store.identifier, equals: before)
  }

  private static func changesAreKept(_ bench: StoreBench) throws {
    let people = try bench.insert("Person", named: ["Ada", "Bob", "Cid"])
    try bench.update(people[1], ["age": .integer(9), "mentor": .identifier(people[2])])
    try bench.delete(people[0])
    try bench.reopen()
    try expect("the rows", bench.names(of: "Person"), equals: ["Bob", "Cid"])
    try expect("the updated value", bench.value("age", of: people[1]), equals: .integer(9))
    try bench.expectValue("mentor", of: people[1], .identifier(people[2]))
    // A change may be the first request after opening.
    try bench.reopen()
    try bench.update(people[1], ["age": .integer(10)])
    try bench.reopen()
    try bench.delete(people[2])
    try bench.reopen()
    try expect("the rows at last", bench.names(of: "Person"), equals: ["Bob"])
    try expect("the value at last", bench.value("age", of: people[1]), equals: .integer(10))
    try expect("the reference at last", bench.value("mentor", of: people[1]), equals: .null)
  }

  private static func schemaIsFound(_ bench: StoreBench) throws {
    let dog = try bench.insert("Dog", ["name": .string("Rex"), "breed": .string("Pug")])
    try bench.open(nil)
    try schemaIsKept(bench)
    try expect("a stored value", bench.value("breed", of: dog), equals: .string("Pug"))
  }
}
