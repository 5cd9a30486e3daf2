import Foundation
import SQLiteStore
import StoreProtocol
import Testing

@Suite("A schema change without migration code")
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

  private func entity(
    _ name: String,
    _ properties: [StoreProperty],
    of: String? = nil
  ) -> StoreEntity {
    StoreEntity(name: name, superentity: of, root: of, properties: properties)
  }

  /// Stores rows under one schema, opens the store with another, and verifies it.
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

  @Test func `keeps full-text indexes and tables of other programs`() throws {
    let old = entity("Note", [Self.value("text", options: ["fullText"]), Self.value("x")])
    let new = entity("Note", [Self.value("body", was: "text", options: ["fullText"])])
    let store = try change(
      [old],
      {
        try $0.insert([.new(old, ["text": .string("hello world")])])
        try $0.execute("CREATE TABLE \"_mine\"(a)")
      },
      to: [new]
    )
    let query = StoreQuery(
      entity: "Note",
      filter: .searches(.property(.element(0), "body"), TextSearch("world"))
    )
    #expect(try store.count(query) == 1)
    let rows = try store.integer("SELECT count(*) FROM \"_mine\"")
    #expect(rows == 0)
  }

  @Test func `sets a new property of stored rows to its default value`() throws {
    let old = entity("Note", [Self.value("text")])
    let rank = Self.value("rank", .int64, isOptional: false, default: .integer(7))
    let store = try change(
      [old],
      { try $0.insert([.new(old, ["text": .string("a")])]) },
      to: [entity("Note", old.properties + [rank])]
    )
    #expect(try store.fetch(StoreQuery(entity: "Note")).map { $0["rank"] } == [.integer(7)])
  }

  @Test(arguments: [false, true])
  func `keeps related objects whose table gets another key column or joins another table`(
    isInherited: Bool
  ) throws {
    let owner = entity(
      "Owner",
      [StoreProperty(name: "dogs", kind: .toMany(StoreRelationship(destination: "Dog")))]
    )
    let old = entity("Dog", [Self.value("name")])
    let animal = entity("Animal", old.properties)
    let new =
      isInherited
      ? [animal, entity("Dog", old.properties, of: "Animal")]
      : [entity("Dog", old.properties + [Self.value("_key")])]
    var dogs: [PersistentIdentifier] = []
    let store = try change(
      isInherited ? [owner, old, animal] : [owner, old],
      {
        dogs = try $0.insert([.new(old), .new(old)])
        try $0.insert([.new(owner, ["dogs": .identifiers(dogs.reversed())])])
      },
      to: [owner] + new
    )
    try store.insert([.new(owner, ["dogs": .identifiers([dogs[0]])])])
    let lists = try store.fetch(StoreQuery(entity: "Owner")).map { $0["dogs"] }
    #expect(lists == [.identifiers(dogs.reversed()), .identifiers([dogs[0]])])
    #expect(try store.verify() == [])
  }

  @Test func `does not read the rows of unchanged entities`() throws {
    let still = StoreEntity(
      name: "Still",
      properties: [Self.value("name"), Self.value("words", options: ["fullText"])],
      uniquenessConstraints: [["name"]],
      indices: [["words"]]
    )
    let old = entity("Note", [Self.value("text"), Self.value("rank", .int16)])
    let new = entity("Note", [Self.value("body", was: "text"), Self.value("rank", .int64)])
    do {
      let store = try SQLiteStore.inFile(path, StoreSchema(entities: [still, old]))
      try store.insert([.new(still, ["name": .string("a"), "words": .string("hello")])])
      try store.insert([.new(old, ["text": .string("b"), "rank": .integer(1)])])
    }
    let log = StatementLog()
    let store = try SQLiteStore.inFile(path, StoreSchema(entities: [still, new]), log: log)
    let statements = log.counts.texts
    #expect(statements.contains { $0.contains("\"Note\"") && $0.contains("INSERT") })
    // An existing index is not created again.
    let looks = statements.filter {
      $0.contains("\"Still") && !$0.contains(" INDEX IF NOT EXISTS ")
    }
    #expect(looks == [])
    #expect(try store.count(StoreQuery(entity: "Still")) == 1)
    #expect(try store.fetch(StoreQuery(entity: "Note")).map { $0["body"] } == [.string("b")])
  }
}
