import JSONFileStore
import StoreProtocol
import StoreTestSupport
import Testing

@Suite struct `Readers by index` {
  @Test func `see one state while another task saves`() async throws {
    let entity = StoreEntity(
      name: "Item",
      properties: [
        StoreProperty(name: "number", kind: .attribute(.int64)),
        StoreProperty(name: "name", kind: .attribute(.string)),
      ],
      indices: [["number"], ["name", "number"]]
    )
    let folder = try TemporaryFolder()
    let store = try JSONFileStore(
      JSONFileStoreConfiguration(
        schema: Schema(storeSchema: StoreSchema(entities: [entity])),
        url: folder.file("store.json"),
        durability: .none
      ),
      migrationPlan: nil
    )
    let rows = (0..<20).map { number in
      DefaultSnapshot(
        persistentIdentifier: PersistentIdentifier(
          scope: .init(storeIdentifier: nil, entityName: "Item"),
          key: .temporary(PersistentIdentifier.nextTemporaryNumber())
        ),
        entity: entity,
        values: [.integer(0), .string("name \(number)")]
      )
    }
    _ = try store.apply(StoreChanges(inserted: rows))
    let identifiers = try store.identifiers(StoreQuery(entity: "Item"))
    try await withThrowingTaskGroup { group in
      group.addTask {
        for round in Int64(1)...200 {
          let changes = [StoreUpdate.Change(0, .integer(round % 5))]
          let updates = identifiers.map { StoreUpdate(identifier: $0, changes: changes) }
          _ = try store.apply(StoreChanges(updated: updates))
        }
      }
      for reader in Int64(0)..<2 {
        group.addTask { for _ in 0..<150 { try read(store, reader) } }
      }
      try await group.waitForAll()
    }
    #expect(try store.count(query(.integer(0))) == 20)
  }

  private func query(_ value: StoreValue) -> StoreQuery {
    StoreQuery(
      entity: "Item",
      filter: .compare(.equal, .property(.element(0), "number"), .constant(value))
    )
  }

  /// All rows change together, so that either all or none have a number.
  private func read(_ store: JSONFileStore, _ number: Int64) throws {
    let count = try store.count(query(.integer(number)))
    #expect(count == 0 || count == 20)
    let sorted = StoreQuery(
      entity: "Item",
      sort: [QuerySort(property: "number", isReversed: true), QuerySort(property: "name")]
    )
    let numbers = try store.fetch(sorted).compactMap { $0["number"] }
    #expect(numbers.count == 20 && Set(numbers).count == 1)
  }
}
