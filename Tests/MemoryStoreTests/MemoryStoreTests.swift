import Foundation
import MemoryStore
import StoreProtocol
import Testing

@Suite struct `MemoryStore tests` {
  private let schema = Schema(
    storeSchema: StoreSchema(entities: [
      StoreEntity(name: "A", properties: [StoreProperty(name: "x", kind: .attribute(.int64))])
    ])
  )

  private func record() -> DefaultSnapshot {
    DefaultSnapshot(
      persistentIdentifier: PersistentIdentifier(
        scope: .init(storeIdentifier: nil, entityName: "A"),
        key: .temporary(PersistentIdentifier.nextTemporaryNumber())
      ),
      names: PropertyNames(["x"]),
      values: [.integer(1)]
    )
  }

  @Test func `configurations with the same name are different stores`() throws {
    let first = MemoryStoreConfiguration("same", schema: schema)
    let second = MemoryStoreConfiguration("same", schema: schema)
    _ = try MemoryStore(first).apply(StoreChanges(inserted: [record()]))
    #expect(first != second)
    #expect(try MemoryStore(second).count(StoreQuery(entity: "A")) == 0)
  }

  @Test func `copies of a configuration share one store`() throws {
    let configuration = MemoryStoreConfiguration(schema: schema)
    var copy = configuration
    copy.schema = nil
    let store = try MemoryStore(configuration)
    _ = try store.apply(StoreChanges(inserted: [record()]))
    #expect(copy == configuration)
    #expect(copy.hashValue == configuration.hashValue)
    #expect(try MemoryStore(copy).count(StoreQuery(entity: "A")) == 1)
    #expect(try MemoryStore(copy).identifier == store.identifier)
  }

  @Test func `opening a store with another schema throws`() throws {
    var configuration = MemoryStoreConfiguration(schema: schema)
    _ = try MemoryStore(configuration)
    configuration.schema = Schema()
    #expect(throws: DataStoreError.schemaMismatch) { try MemoryStore(configuration) }
  }

  @Test func `opening a store without any schema throws`() {
    #expect(throws: DataStoreError.invalidConfiguration) {
      try MemoryStore(MemoryStoreConfiguration())
    }
  }

  @Test func `a store created from rows has them as its first save`() throws {
    let scope = PersistentIdentifier.Scope(storeIdentifier: "s", entityName: "A")
    let row = DefaultSnapshot(
      persistentIdentifier: PersistentIdentifier(scope: scope, key: .integer(5)),
      names: PropertyNames(["x"]),
      values: [.integer(7)]
    )
    var configuration = try MemoryStoreConfiguration(schema: schema, identifier: "s", rows: [row])
    configuration.schema = nil
    let store = try MemoryStore(configuration)
    let found = try store.fetch(StoreQuery(entity: "A"))
    #expect(found.map(\.persistentIdentifier) == [row.persistentIdentifier])
    #expect(found.map(\.version) == [1])
    #expect(try store.nextKey() == 6)
    let new = record()
    let result = try store.apply(StoreChanges(inserted: [new]))
    #expect(result.version == 2)
    #expect(result.remapped[new.persistentIdentifier]?.key == .integer(6))
  }

  @Test func `the result of SwiftData's save has its position in the history`() throws {
    let store = try MemoryStore(MemoryStoreConfiguration(schema: schema))
    for number in 1...2 {
      let result = try store.save(DataStoreSaveChangesRequest(inserted: [record()]))
      let token = try #require(result.historyToken as? DefaultHistoryToken)
      #expect(token.tokenValue == [store.identifier: Int64(number)])
    }
    #expect(try store.save(DataStoreSaveChangesRequest()).historyToken == nil)
  }

  @Test func `related objects are those of owners of the entity`() throws {
    let first = try #require(schema.storeSchema.entities.first)
    let second = StoreEntity(
      name: "B",
      properties: [StoreProperty(name: "list", kind: .toMany(StoreRelationship(destination: "A")))]
    )
    let both = Schema(storeSchema: StoreSchema(entities: [first, second]))
    let store = try MemoryStore(MemoryStoreConfiguration(schema: both))
    let new = record()
    let owner = DefaultSnapshot(
      persistentIdentifier: PersistentIdentifier(
        scope: .init(storeIdentifier: nil, entityName: "B"),
        key: .temporary(PersistentIdentifier.nextTemporaryNumber())
      ),
      names: PropertyNames(["list"]),
      values: [.identifiers([new.persistentIdentifier])]
    )
    let result = try store.apply(StoreChanges(inserted: [new, owner]))
    let rows = [new, owner].compactMap { result.remapped[$0.persistentIdentifier] }
    #expect(try store.members(of: "list", in: "B", owners: rows) == [rows[1]: [rows[0]]])
  }

  @Test func `reads of one state do not see the saves of other threads`() throws {
    let store = try MemoryStore(MemoryStoreConfiguration(schema: schema))
    let new = record()
    try store.readingOneState {
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        _ = try? store.apply(StoreChanges(inserted: [new]))
        done.signal()
      }
      done.wait()
      var counts = [try store.count(StoreQuery(entity: "A"))]
      try store.readingOneState { counts.append(try store.count(StoreQuery(entity: "A"))) }
      #expect(counts == [0, 0])
    }
    #expect(try store.count(StoreQuery(entity: "A")) == 1)
  }

  @Test func `a history with values has the values before and after a change`() throws {
    var configuration = MemoryStoreConfiguration(schema: schema)
    configuration.history = HistoryOptions(.values)
    let store = try MemoryStore(configuration)
    let new = record()
    let row = try #require(
      try store.apply(StoreChanges(inserted: [new])).remapped[new.persistentIdentifier]
    )
    let update = StoreUpdate(identifier: row, changes: [.init(0, .integer(2))])
    _ = try store.apply(StoreChanges(updated: [update]))
    let changes = try store.transactions(StoreHistoryQuery()).flatMap { Array($0.changes) }
    #expect(changes.map(\.before["x"]) == [nil, .integer(1)])
    #expect(changes.map(\.after["x"]) == [.integer(1), .integer(2)])
  }

  @Test func `a history is trimmed to its retention`() throws {
    var configuration = MemoryStoreConfiguration(schema: schema)
    configuration.history = HistoryOptions(.on, keeping: HistoryRetention(count: 3))
    let store = try MemoryStore(configuration)
    for _ in 0..<64 { _ = try store.apply(StoreChanges(inserted: [record()])) }
    #expect(try store.transactions(StoreHistoryQuery()).count < 20)
  }

  @Test func `a history that is off is cut at the last save`() throws {
    var configuration = MemoryStoreConfiguration(schema: schema)
    configuration.history = HistoryOptions(.off)
    let store = try MemoryStore(configuration)
    let version = try store.apply(StoreChanges(inserted: [record()])).version
    #expect(try store.historyBounds().cut == version)
    #expect(try store.historyBounds().last == version)
  }

  @Test func `saves of many tasks are all kept`() async throws {
    let store = try MemoryStore(MemoryStoreConfiguration(schema: schema))
    try await withThrowingTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<25 { _ = try store.apply(StoreChanges(inserted: [record()])) }
        }
      }
      try await group.waitForAll()
    }
    let keys = try store.identifiers(StoreQuery(entity: "A")).compactMap(\.integerKey)
    #expect(keys == Array(1...200))
  }
}
