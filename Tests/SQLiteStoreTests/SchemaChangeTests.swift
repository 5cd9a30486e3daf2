import Foundation
import SQLiteStore
import StoreProtocol
import Testing

@Suite("A store with an older schema")
struct SchemaChangeTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("a.db")
  }

  private static func attribute(
    _ name: String,
    _ type: AttributeType = .string,
    isOptional: Bool = true
  ) -> StoreProperty {
    SampleSchema.attribute(name, type, isOptional: isOptional)
  }

  private static let person = StoreEntity(
    name: "Person",
    properties: [attribute("name"), attribute("age", .int64)]
  )

  private static let old = StoreSchema(entities: [person])

  private func schema(
    _ properties: [StoreProperty],
    unique: [[String]] = [],
    indices: [[String]] = [],
    more: [StoreEntity] = [],
    version: String = "1.0.0"
  ) -> StoreSchema {
    StoreSchema(
      version: version,
      entities: [
        StoreEntity(
          name: "Person",
          properties: properties,
          uniquenessConstraints: unique,
          indices: indices
        )
      ] + more
    )
  }

  private func makeOld(_ names: [String] = ["a", "b"]) throws {
    let store = try SQLiteStore.inFile(path, Self.old)
    try store.insert(names.map { .new(Self.person, ["name": .string($0)]) })
  }

  private func code(_ new: StoreSchema) -> DataStoreError? {
    do {
      _ = try SQLiteStore.inFile(path, new)
      return nil
    } catch {
      return error as? DataStoreError
    }
  }

  @Test func `gets the additions of the newer schema, and opens again`() throws {
    try makeOld()
    let pet = StoreEntity(
      name: "Pet",
      properties: [
        StoreProperty(
          name: "owner",
          kind: .toOne(StoreRelationship(destination: "Person", inverse: "pets")),
          isOptional: true
        )
      ]
    )
    let student = StoreEntity(
      name: "Student",
      superentity: "Person",
      root: "Person",
      properties: Self.person.properties + [
        Self.attribute("nick"),
        StoreProperty(
          name: "pets",
          kind: .toMany(
            StoreRelationship(destination: "Pet", inverse: "owner", inverseIsToOne: true)
          )
        ),
        StoreProperty(
          name: "friends",
          kind: .toMany(StoreRelationship(destination: "Person"))
        ),
        Self.attribute("school", isOptional: false),
      ]
    )
    let new = schema(
      Array(student.properties.dropLast()),
      unique: [["name"]],
      indices: [["age"]],
      more: [pet, student]
    )
    do {
      let store = try SQLiteStore.inFile(path, new)
      let people = try store.fetch(StoreQuery(entity: "Person"))
      #expect(people.map { $0["name"] } == [.string("a"), .string("b")])
      #expect(people.map { $0["nick"] } == [.null, .null])
      #expect(people[0].persistentIdentifier.entityName == "Person")
      try store.insert([
        .new(student, ["name": .string("c"), "school": .string("s")]),
        .new(pet, ["owner": .identifier(people[0].persistentIdentifier)]),
      ])
    }
    let store = try SQLiteStore.inFile(path, new)
    #expect(try store.count(StoreQuery(entity: "Person")) == 3)
    #expect(try store.count(StoreQuery(entity: "Student")) == 1)
  }

  @Test func `is unchanged if the newer schema would lose data`() throws {
    try makeOld()
    let changes = [
      schema([Self.attribute("name"), Self.attribute("age", .string)]),
      StoreSchema(entities: [StoreEntity(name: "Other", properties: [])]),
      schema(Self.person.properties + [Self.attribute("must", isOptional: false)]),
      schema([Self.attribute("name"), Self.attribute("age", .int64, isOptional: false)]),
    ]
    let before = try Data(contentsOf: URL(filePath: path))
    for change in changes { #expect(code(change) == .schemaMismatch) }
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
    #expect(code(Self.old) == nil)
  }

  @Test func `refuses a constraint that its rows violate`() throws {
    try makeOld(["a", "a"])
    #expect(code(schema(Self.person.properties, unique: [["name"]])) == .schemaMismatch)
    #expect(code(Self.old) == nil)
  }

  @Test func `accepts a required property if each row has a value`() throws {
    try makeOld()
    let required = [
      Self.attribute("name", isOptional: false), Self.attribute("age", .int64),
    ]
    #expect(code(schema(required)) == nil)
    #expect(code(schema(Self.person.properties)) == nil)
  }

  @Test func `refuses a program whose schema has a lower version`() throws {
    do {
      _ = try SQLiteStore.inFile(
        path,
        schema(Self.person.properties + [Self.attribute("more")], version: "1.10.0")
      )
    }
    #expect(code(schema(Self.person.properties, version: "1.9.0")) == .storeTooNew)
  }

  @Test func `refuses saves and reads with the older schema after a migration`() throws {
    try makeOld()
    let store = try SQLiteStore.inFile(path, Self.old)
    _ = try SQLiteStore.inFile(path, schema(Self.person.properties + [Self.attribute("more")]))
    #expect(throws: DataStoreError.schemaMismatch) { try store.insert([.new(Self.person)]) }
    #expect(throws: DataStoreError.schemaMismatch) {
      try store.count(StoreQuery(entity: "Person"))
    }
  }
}

@Suite("Names in a schema")
struct SchemaNameTests {
  @Test(arguments: [
    "select", "from", "order", "rowid", "_key", "_entity", "key", "value", "owner", "member",
    "a b", "x\"; DROP TABLE t;--", "it's", "👩‍👩‍👧", "é", "e\u{301}", "naïve.name", "OpenSwiftData",
    "index", "NULL", "true", "_rowid_",
  ])
  func `can be any Swift identifier, SQL keyword or other string`(_ name: String) throws {
    let entityName = name == "OpenSwiftData" ? "Entity" : name
    let child = StoreEntity(
      name: entityName + "2",
      superentity: entityName,
      root: entityName,
      properties: properties(name, entityName) + [SampleSchema.attribute(name + "3", .string)],
      uniquenessConstraints: [[name]],
      indices: [[name]]
    )
    let entity = StoreEntity(
      name: entityName,
      properties: properties(name, entityName),
      uniquenessConstraints: [[name]],
      indices: [[name]]
    )
    let schema = StoreSchema(entities: [entity, child])
    let folder = try TemporaryFolder()
    let path = folder.path("a.db")
    do {
      let store = try SQLiteStore.inFile(path, schema)
      let first = try store.insert([.new(entity, [name: .string("v")]), .new(child)])
      _ = try store.apply(
        StoreChanges(updated: [
          .change(first[1], child, [name + "many": .identifiers([first[0]])])
        ])
      )
    }
    let store = try SQLiteStore.inFile(path, schema)
    let query = StoreQuery(
      entity: entityName,
      filter: .compare(
        .equal,
        .property(.element(0), name),
        .constant(.string("v"))
      ),
      sort: [QuerySort(property: name)]
    )
    #expect(try store.fetch(query).map { $0[name] } == [.string("v")])
    #expect(try store.count(StoreQuery(entity: entityName + "2")) == 1)
  }

  private func properties(_ name: String, _ entity: String) -> [StoreProperty] {
    [
      SampleSchema.attribute(name, .string),
      StoreProperty(
        name: name + "one",
        kind: .toOne(StoreRelationship(destination: entity)),
        isOptional: true
      ),
      StoreProperty(
        name: name + "many",
        kind: .toMany(StoreRelationship(destination: entity))
      ),
    ]
  }

  @Test(arguments: ["", "a\0b", "sqlite_x", String(repeating: "n", count: 513)])
  func `are refused if SQLite cannot store them`(_ name: String) {
    let schema = StoreSchema(
      entities: [StoreEntity(name: "E", properties: [SampleSchema.attribute(name, .string)])])
    #expect(throws: DataStoreError.invalidConfiguration) { try SQLiteStore.inMemory(schema) }
  }

  @Test func `are refused if SQLite does not distinguish them`() {
    func schema(_ entities: [String: [String]]) -> StoreSchema {
      StoreSchema(
        entities: entities.map { name, properties in
          StoreEntity(
            name: name,
            properties: properties.map { SampleSchema.attribute($0, .string) }
          )
        }
      )
    }
    for refused in [["E": ["a"], "e": ["a"]], ["E": ["a1", "A1", "^A1"]]] {
      #expect(throws: DataStoreError.invalidConfiguration) {
        try SQLiteStore.inMemory(schema(refused))
      }
    }
    #expect(throws: Never.self) { try SQLiteStore.inMemory(schema(["E": ["a1", "A1"]])) }
  }
}
