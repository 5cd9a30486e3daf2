import MemoryStore
import StoreProtocol
import Testing

@Suite struct `MemoryStore selects and explains` {
  private let store: MemoryStore
  private let identifiers: [PersistentIdentifier]

  /// Creates nine rows 0 to 8, each with its remainder by 3 and a reference to the previous row.
  init() throws {
    let entity = StoreEntity(
      name: "A",
      properties: [
        StoreProperty(name: "x", kind: .attribute(.int64)),
        StoreProperty(name: "rest", kind: .attribute(.int64)),
        StoreProperty(
          name: "before",
          kind: .toOne(StoreRelationship(destination: "A", inverse: "after")),
          isOptional: true
        ),
        StoreProperty(
          name: "after",
          kind: .toMany(
            StoreRelationship(destination: "A", inverse: "before", inverseIsToOne: true)
          )
        ),
      ]
    )
    let schema = Schema(storeSchema: StoreSchema(entities: [entity]))
    store = try MemoryStore(MemoryStoreConfiguration(schema: schema))
    var identifiers: [PersistentIdentifier] = []
    for number in Int64(0)..<9 {
      let temporary = PersistentIdentifier(
        scope: .init(storeIdentifier: nil, entityName: "A"),
        key: .temporary(PersistentIdentifier.nextTemporaryNumber())
      )
      let before = identifiers.last.map(StoreValue.identifier) ?? .null
      let record = DefaultSnapshot(
        persistentIdentifier: temporary,
        entity: entity,
        values: [.integer(number), .integer(number % 3), before, .null]
      )
      let result = try store.apply(StoreChanges(inserted: [record]))
      identifiers += [result.remapped[temporary]].compactMap { $0 }
    }
    self.identifiers = identifiers
  }

  private func property(_ name: String) -> QueryExpression { .property(.element(0), name) }

  private func select(_ selection: StoreSelection) throws -> [[StoreValue]] {
    var rows: [[StoreValue]] = []
    try store.select(selection) { rows.append($0) }
    return rows
  }

  @Test func `a projection applies filter, sort order, offset and limit`() throws {
    let query = StoreQuery(
      entity: "A",
      filter: .compare(.greater, property("x"), .constant(.integer(3))),
      sort: [QuerySort(property: "rest"), QuerySort(property: "x", isReversed: true)],
      offset: 1,
      limit: 2
    )
    let selection = StoreSelection(
      query,
      columns: [.value(property("x")), .value(.aggregate(.count, property("after")))]
    )
    #expect(try select(selection) == [[.integer(7), .integer(1)], [.integer(4), .integer(1)]])
  }

  @Test func `groups are counted and summed`() throws {
    let selection = StoreSelection(
      StoreQuery(entity: "A", offset: 1),
      groups: [property("rest")],
      columns: [.key(0), .count, .aggregate(.sum, property("x"), .int64)]
    )
    #expect(
      try select(selection) == [
        [.integer(1), .integer(3), .integer(12)], [.integer(2), .integer(3), .integer(15)],
      ]
    )
  }

  @Test func `an explanation reports the number of rows examined`() throws {
    let filter = QueryExpression.compare(.equal, property("x"), .constant(.integer(3)))
    let explanation = try store.explain(.query(StoreQuery(entity: "A", filter: filter)))
    #expect(explanation.rowsExamined == .rows(9))
    #expect(explanation.isNative && explanation.nativeFilter == filter)
    #expect(explanation.indexes.isEmpty && explanation.steps.count == 1)
    let one = try store.explain(.query(.rows(Array(identifiers.prefix(2)), of: "A")))
    #expect(one.rowsExamined == .rows(2))
  }

  @Test func `explaining a query of an unknown entity throws`() {
    #expect(throws: DataStoreError.schemaMismatch) {
      try store.explain(.query(StoreQuery(entity: "B")))
    }
  }
}
