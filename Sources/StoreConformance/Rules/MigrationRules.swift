import StoreProtocol

/// Rules about opening rows with an older schema.
enum MigrationRules {
  static let all: [Rule] = [
    rule(
      "MIGR-001",
      "After a property is added, the old rows exist without a value for it.",
      addedProperty
    ),
    rule("MIGR-002", "An entity can be added.", addedEntity),
    rule("MIGR-003", "A property can be removed; the others keep their values.", removedProperty),
    rule("MIGR-004", "A renamed property keeps its values.", renaming),
    rule("MIGR-005", "Identifiers stay the same, and none is reused.", identifiers),
    rule(
      "MIGR-006",
      "A schema to which the rows cannot be migrated throws, and nothing changes.",
      refusal
    ),
    Rule(
      "MIGR-007",
      "An older version of the schema throws `storeTooNew`, and nothing changes.",
      needs: [.migration, .durability],
      since: 2,
      olderVersion
    ),
    Rule(
      "MIGR-008",
      "A handle from before another handle's migration throws `schemaMismatch` for every request, "
        + "and changes nothing.",
      needs: [.migration, .durability, .processes],
      hooks: [.secondHandle],
      since: 2,
      overtaken
    ),
  ]

  private static let rule = Rule.making(needs: [.migration, .durability])

  private static let title = SampleEntities.attribute("title", .string, isOptional: false)
  private static let pages = SampleEntities.attribute("pages", .int64)
  private static let writer = StoreProperty(
    name: "writer",
    kind: .toOne(StoreRelationship(destination: "Writer")),
    isOptional: true
  )

  private static func schema(
    _ version: String,
    _ book: [StoreProperty],
    _ more: [StoreEntity] = []
  )
    -> Schema
  {
    let entities = [
      StoreEntity(name: "Book", properties: book),
      StoreEntity(name: "Writer", properties: [title]),
    ]
    return Schema(storeSchema: StoreSchema(version: version, entities: entities + more))
  }

  private static func record(_ entity: String, _ values: [String: StoreValue]) -> DefaultSnapshot {
    let names = values.keys.sorted()
    return DefaultSnapshot(
      persistentIdentifier: PersistentIdentifier.temporary(of: entity),
      names: PropertyNames(names),
      values: names.map { values[$0] ?? .null }
    )
  }

  /// Inserts two books of the first schema.
  private static func books(_ bench: StoreBench) throws -> [PersistentIdentifier] {
    try bench.open(schema("1.0.0", [title, pages, writer]))
    let author = record("Writer", ["title": .string("Ada")])
    let records = [
      author,
      record(
        "Book",
        [
          "title": .string("Notes"), "pages": .integer(66),
          "writer": .identifier(author.persistentIdentifier),
        ]
      ), record("Book", ["title": .string("Sketch")]),
    ]
    return try bench.insert(records)
  }

  private static func expectBooks(_ bench: StoreBench, _ rows: [PersistentIdentifier]) throws {
    try expect("a text", bench.value("title", of: rows[1]), equals: .string("Notes"))
    try expect("a reference", bench.value("writer", of: rows[1]), equals: .identifier(rows[0]))
    try expect("no reference", bench.value("writer", of: rows[2]), equals: .null)
  }

  private static func addedProperty(_ bench: StoreBench) throws {
    let rows = try books(bench)
    let colour = SampleEntities.attribute("colour", .string)
    try bench.open(schema("2.0.0", [colour, title, pages, writer]))
    try expectBooks(bench, rows)
    try expect("the new property", bench.value("colour", of: rows[1]), equals: .null)
    try expect("a number", bench.value("pages", of: rows[1]), equals: .integer(66))
    try bench.save(updating: [
      StoreUpdate(identifier: rows[1], changes: [StoreUpdate.Change(0, .string("red"))])
    ])
    try bench.reopen()
    try expect("the new value", bench.value("colour", of: rows[1]), equals: .string("red"))
  }

  private static func addedEntity(_ bench: StoreBench) throws {
    let rows = try books(bench)
    let shelf = StoreEntity(name: "Shelf", properties: [title])
    try bench.open(schema("2.0.0", [title, pages, writer], [shelf]))
    try expectBooks(bench, rows)
    _ = try bench.insert([record("Shelf", ["title": .string("A")])])
    try expect("the new rows", bench.store.count(StoreQuery(entity: "Shelf")), equals: 1)
  }

  private static func removedProperty(_ bench: StoreBench) throws {
    let rows = try books(bench)
    try bench.open(schema("2.0.0", [title, writer]))
    try expectBooks(bench, rows)
    let names = try bench.record(rows[1])?.names.names
    try expect("the names of a row", names, equals: ["title", "writer"])
  }

  private static func renaming(_ bench: StoreBench) throws {
    let rows = try books(bench)
    let length = StoreProperty(
      name: "length",
      originalName: "pages",
      kind: .attribute(.int64),
      isOptional: true
    )
    try bench.open(schema("2.0.0", [title, length, writer]))
    try expectBooks(bench, rows)
    try expect("the value", bench.value("length", of: rows[1]), equals: .integer(66))
  }

  private static func identifiers(_ bench: StoreBench) throws {
    let rows = try books(bench)
    try bench.delete(rows[2])
    let identifier = try bench.store.identifier
    try bench.open(schema("2.0.0", [title, writer]))
    try expect("the store's identifier", bench.store.identifier, equals: identifier)
    let new = try bench.insert([record("Book", ["title": .string("New")])])
    try expect("the new row", Set(rows).isDisjoint(with: new), "an unused identifier")
  }

  private static func refusal(_ bench: StoreBench) throws {
    let rows = try books(bench)
    let number = SampleEntities.attribute("title", .uuid, isOptional: false)
    try bench.expectRefusal(of: schema("2.0.0", [number, pages, writer]))
    try bench.open(schema("1.0.0", [title, pages, writer]))
    try expectBooks(bench, rows)
    try expect("a number", bench.value("pages", of: rows[1]), equals: .integer(66))
  }

  private static func overtaken(_ bench: StoreBench) throws {
    let rows = try books(bench)
    let store = try bench.store
    // The columns change places, and one its name.
    let length = StoreProperty(
      name: "length",
      originalName: "pages",
      kind: .attribute(.int64),
      isOptional: true
    )
    let subtitle = SampleEntities.attribute("subtitle", .string)
    let other = try bench.secondHandle(schema("2.0.0", [length, writer, subtitle, title]))
    defer { try? bench.close(other) }
    let all = StoreQuery(entity: "Book")
    let change = StoreUpdate(identifier: rows[1], changes: [.init(0, .string("lost"))])
    let requests: [(String, () throws -> Void)] = [
      ("a fetch", { _ = try store.fetch(all) }),
      ("the identifiers", { _ = try store.identifiers(all) }),
      ("a fetch by identifier", { _ = try store.fetch(.rows([rows[1]], of: "Book")) }),
      ("reading rows", { try store.read(all) { _ in } }),
      ("a save", { _ = try store.apply(StoreChanges(updated: [change])) }),
      ("a new row", { _ = try store.apply(StoreChanges(inserted: [record("Book", [:])])) }),
    ]
    for (name, request) in requests {
      try expect("\(name) after a migration", throws: .schemaMismatch, by: request)
    }
    try expect("the rows", other.identifiers(all), equals: Array(rows[1...]))
    let book = try other.fetch(.rows([rows[1]], of: "Book")).first
    try expect("the text", book?["title"], equals: .string("Notes"))
    try expect("the number", book?["length"], equals: .integer(66))
  }

  private static func olderVersion(_ bench: StoreBench) throws {
    let rows = try books(bench)
    let colour = SampleEntities.attribute("colour", .string)
    let newer = schema("2.0.0", [title, pages, colour, writer])
    try bench.open(newer)
    try bench.save(updating: [
      StoreUpdate(identifier: rows[1], changes: [StoreUpdate.Change(2, .string("red"))])
    ])
    try expect("opening with an older version", throws: .storeTooNew) {
      try bench.open(schema("1.0.0", [title, pages, writer]))
    }
    try bench.open(newer)
    try expectBooks(bench, rows)
    try expect("the value", bench.value("colour", of: rows[1]), equals: .string("red"))
  }
}

extension StoreBench {
  /// Checks that the store refuses to open with a schema that would turn strings into UUIDs.
  func expectRefusal(of schema: Schema) throws {
    do {
      try open(schema)
    } catch is DataStoreError {
      return
    } catch is SwiftDataError {
      return
    }
    throw RuleViolation("opening with strings as UUIDs", expected: "an error", found: "none")
  }
}
