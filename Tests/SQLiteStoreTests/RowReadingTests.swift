import Foundation
import SQLiteStore
import StoreProtocol
import Testing

@Suite("The row of a key")
struct RowReadingTests {
  private let store: SQLiteStore

  init() throws {
    store = try SQLiteStore.inMemory()
    try store.insert([
      .new(SampleSchema.trip, ["name": .string("a"), "days": .integer(1)]),
      .new(SampleSchema.personalTrip, ["name": .string("b"), "note": .string("x")]),
      .new(SampleSchema.businessTrip, ["name": .string("c"), "note": .integer(7)]),
      .new(SampleSchema.item, ["title": .string("d")]),
      .new(SampleSchema.values, ["double": .double(.nan), "decimal": .decimal(1.5)]),
    ])
  }

  @Test(arguments: SampleSchema.store.entities.map(\.name))
  func `equals the result of a query for the key`(entity: String) throws {
    for key in Int64(0)...6 {
      let scope = PersistentIdentifier.Scope(
        storeIdentifier: store.identifier,
        entityName: entity
      )
      let identifier = PersistentIdentifier(scope: scope, key: .integer(key))
      var expected: [[StoreValue]] = []
      try store.read(.rows([identifier], of: entity)) { reader in
        #expect(reader.identifier == reader.scope.map { .init(scope: $0, key: .integer(key)) })
        expected.append(try values(reader))
      }
      var found: [[StoreValue]] = []
      try store.read(.row(identifier, of: entity)) { found.append(try values($0)) }
      #expect(found == expected, "\(key)")
    }
  }

  @Test func `has no value beyond its properties`() throws {
    try store.read(StoreQuery(entity: "Item")) { reader in
      for index in [-1, reader.entity.properties.count] {
        let (value, isNull) = (try reader.value(at: index), try reader.isNull(at: index))
        #expect(value == .null && isNull && !reader.isDeferred(at: index))
      }
    }
  }

  @Test func `is found by its entity and the superentities, and by no other`() throws {
    let counts = try ["Trip", "PersonalTrip", "BusinessTrip", "Item"].map { entity in
      var count = 0
      for key in Int64(1)...5 { try store.read(row(key, of: entity)) { _ in count += 1 } }
      return count
    }
    #expect(counts == [3, 1, 1, 1])
    #expect(throws: DataStoreError.schemaMismatch) {
      try store.read(row(1, of: "Flight")) { _ in }
    }
  }

  @Test func `can be read while another row is read`() throws {
    var names: [StoreValue] = []
    func name(_ reader: RowReader) throws -> StoreValue {
      try reader.value(at: try #require(reader.entity.properties.firstIndex { $0.name == "name" }))
    }
    try store.read(row(1, of: "Trip")) { first in
      try store.read(row(2, of: "Trip")) { second in
        try store.read(row(3, of: "Trip")) { names.append(try name($0)) }
        names.append(try name(second))
      }
      names.append(try name(first))
    }
    try store.read(row(2, of: "Trip")) { names.append(try name($0)) }
    #expect(names == [.string("c"), .string("b"), .string("a"), .string("b")])
  }

  @Test func `does not keep its connection alive`() throws {
    let folder = try TemporaryFolder()
    weak var connection: AnyObject?
    do {
      let stored = try SQLiteStore.inFile(folder.path("a.db"))
      try stored.insert([.new(SampleSchema.item, ["title": .string("d")])])
      connection = try stored.readingConnection()
      #expect(connection != nil)
      var count = 0
      try stored.read(row(1, of: "Item")) { _ in count += 1 }
      #expect(count == 1)
    }
    #expect(connection == nil)
  }

  private func row(_ key: Int64, of entity: String) -> StoreQuery {
    .row(PersistentIdentifier(.integer(key), of: entity, in: store.identifier), of: entity)
  }

  private func values(_ reader: RowReader) throws -> [StoreValue] {
    let scope = try #require(reader.scope)
    return try [.string(scope.entityName), .integer(reader.version)]
      + reader.entity.properties.indices.map(reader.value)
  }
}
