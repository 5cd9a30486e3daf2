import CSQLite
import Foundation
import SQLiteStore
import StoreProtocol
import Testing

@Suite("Indexes with the same columns as a constraint")
struct ServedIndexTests {
  private static let names = ["name", "start", "end", "place"]

  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("a.db")
  }

  private static func tour(
    _ name: String = "Tour",
    of parent: String? = nil,
    unique: [[String]] = [],
    indices: [[String]]
  ) -> StoreEntity {
    StoreEntity(
      name: name,
      superentity: parent,
      root: parent ?? name,
      properties: names.map { SampleSchema.attribute($0, .string) },
      uniquenessConstraints: unique,
      indices: indices
    )
  }

  private static let declared = [
    ["name"], ["start"], ["name", "start", "end"], ["end"], ["end", "name"], ["start", "name"],
    ["name", "end"],
  ]

  private static let schema = StoreSchema(
    entities: [tour(unique: [["name", "start", "end"]], indices: declared)]
  )

  private static let kept: Set<String> = [
    "unique Tour(name, start, end)", "Tour(name)", "Tour(start)", "Tour(end)", "Tour(end, name)",
    "Tour(start, name)", "Tour(name, end)",
  ]

  private static let omitted = ["Tour(name, start, end)"]

  private static func names(_ schema: StoreSchema) throws -> Set<String> {
    Set(try SQLiteStore.indexNames(schema))
  }

  private static func names(in store: SQLiteStore) throws -> Set<String> {
    Set(
      try store.texts("SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
    )
  }

  /// Converts the closed file to format 4, with all declared indexes.
  private func makeFormer() throws {
    do {
      let store = try SQLiteStore.inFile(path, Self.schema)
      try Self.insert(into: store)
    }
    var connection: OpaquePointer?
    sqlite3_open(path, &connection)
    defer { sqlite3_close(connection) }
    for name in Self.omitted {
      let columns = name.dropFirst("Tour(".count).dropLast().split(separator: ", ")
      let list = columns.map { "\"\($0)\"" }.joined(separator: ", ")
      let sql = "CREATE INDEX \"\(name)\" ON \"Tour\"(\(list))"
      #expect(sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK)
    }
    #expect(sqlite3_exec(connection, "PRAGMA user_version = 4", nil, nil, nil) == SQLITE_OK)
  }

  /// Returns a query for the tours of a name from "x" to "z".
  private static func isNamed(_ name: String) -> StoreQuery {
    let values = [("name", name), ("start", "x"), ("end", "z")]
    return StoreQuery(
      entity: "Tour",
      filter: .and(
        values.map { .compare(.equal, .property(.element(0), $0), .constant(.string($1))) }
      )
    )
  }

  private static func insert(into store: SQLiteStore) throws {
    let entity = try #require(schema.entity(named: "Tour"))
    let values = ["name": "a", "start": "x", "end": "z"].mapValues(StoreValue.string)
    try store.insert([.new(entity, values)])
  }

  @Test func `are not created, and queries use the constraint's index`() throws {
    let store = try SQLiteStore.inFile(path, Self.schema)
    #expect(try Self.names(in: store) == Self.kept)
    try Self.insert(into: store)
    let explanation = try store.explain(.query(Self.isNamed("a")))
    #expect(explanation.indexes == ["unique Tour(name, start, end)"], "\(explanation.steps)")
    #expect(try store.count(Self.isNamed("a")) == 1)
  }

  @Test func `are created if the constraint belongs to a subentity`() throws {
    let schema = StoreSchema(entities: [
      Self.tour(indices: [["name"]]),
      Self.tour("Cruise", of: "Tour", unique: [["name"]], indices: [["name"]]),
    ])
    #expect(try Self.names(schema) == ["Tour(name)", "unique Cruise(name)"])
  }

  @Test func `remain in a file of format 4 that is opened for reading`() throws {
    try makeFormer()
    let store = try SQLiteStore.inFile(path, Self.schema, allowsSave: false)
    #expect(try Self.names(in: store) == Self.kept.union(Self.omitted))
    let explanation = try store.explain(.query(Self.isNamed("a")))
    let name = try #require(explanation.indexes.first, "\(explanation.steps)")
    #expect(explanation.steps.contains { $0.contains(name) })
    #expect(try store.count(Self.isNamed("a")) == 1)
    #expect(try store.verify() == [])
  }

  @Test func `are removed from a file of format 4 that is opened for writing`() throws {
    try makeFormer()
    let store = try SQLiteStore.inFile(path, Self.schema)
    #expect(try Self.names(in: store) == Self.kept)
    #expect(try store.count(Self.isNamed("a")) == 1)
    #expect(try store.verify() == [])
  }

  @Test func `are created when the constraint is removed, and removed when it is added`() throws {
    let alone = StoreSchema(entities: [Self.tour(indices: Self.declared)])
    do { _ = try SQLiteStore.inFile(path, Self.schema) }
    do {
      let store = try SQLiteStore.inFile(path, alone)
      let expected = Self.kept.subtracting(["unique Tour(name, start, end)"])
        .union(["Tour(name, start, end)"])
      #expect(try Self.names(in: store) == expected)
    }
    let store = try SQLiteStore.inFile(path, Self.schema)
    #expect(try Self.names(in: store) == Self.kept)
    #expect(try store.verify() == [])
  }
}
