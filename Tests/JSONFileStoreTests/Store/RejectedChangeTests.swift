import Foundation
import JSONFileStore
import StoreProtocol
import Testing

@Suite("An invalid change of a JSON store")
struct RejectedChangeTests {
  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  @Test func `is refused if the schema lacks its entity`() throws {
    let store = try fixture.open()
    let row = try #require(try store.insert(newRow(["name": .string("kept")])).first)
    let unknown = PersistentIdentifier(
      scope: .init(storeIdentifier: store.identifier, entityName: "Nobody"),
      key: row.key
    )
    for changes in [
      StoreChanges(deleted: [unknown]),
      StoreChanges(updated: [.init(identifier: unknown, changes: [])]),
    ] {
      let error = try #require(throws: DataStoreError.self) { try store.apply(changes) }
      #expect(error == .schemaMismatch)
      #expect(error.message.contains("lacks the entity"))
      #expect(error.entity == "Nobody")
    }
    #expect(try store.all().map { $0["name"] } == [.string("kept")])
  }

  @Test(arguments: [-1, 99])
  func `is refused if the row lacks its property`(index: Int) throws {
    let store = try fixture.open()
    let row = try #require(try store.insert(newRow(["name": .string("kept")])).first)
    let update = StoreUpdate(identifier: row, changes: [.init(index, .string("x"))])
    let error = try #require(throws: DataStoreError.self) {
      try store.apply(StoreChanges(updated: [update]))
    }
    #expect(error == .invalidValue)
    #expect(error.message.contains("a property that the row does not have"))
    #expect(error.entity == "Item")
    #expect(try store.all().map { $0["name"] } == [.string("kept")])
  }

  @Test func `is refused if each merge of a new row causes another`() throws {
    let node = StoreEntity(
      name: "Node",
      properties: [
        StoreProperty(name: "name", kind: .attribute(.string)),
        StoreProperty(
          name: "next",
          kind: .toOne(StoreRelationship(destination: "Node")),
          isOptional: true
        ),
      ],
      uniquenessConstraints: [["next"]]
    )
    let schema = Schema(storeSchema: StoreSchema(entities: [node]))
    do {
      let store = try fixture.open(schema: schema)
      _ = try store.apply(StoreChanges(inserted: [.new(node, [.string("kept"), .null])]))
      try store.close()
    }
    // A key that no row has yet. The second new row gets it if the first is new as well.
    let text = try fixture.text(fixture.url)
    let edited = text.replacing("\"name\":\"kept\"", with: "\"name\":\"kept\",\"next\":3")
    try #require(edited != text)
    try Data(edited.utf8).write(to: fixture.url)
    let store = try fixture.open(schema: schema)
    let second = DefaultSnapshot.new(node, [.string("second"), .null])
    let first = DefaultSnapshot.new(
      node,
      [.string("first"), .identifier(second.persistentIdentifier)]
    )
    let error = try #require(throws: DataStoreError.self) {
      try store.apply(StoreChanges(inserted: [first, second]))
    }
    #expect(error == .uniqueConflict)
    #expect(error.message.contains("each merge causes another"))
    #expect(try store.all("Node").map { $0["name"] } == [.string("kept")])
    _ = try store.apply(StoreChanges(inserted: [second]))
    #expect(try store.all("Node").count == 2)
  }

  @Test func `is refused if it takes the required counterpart of another row`() throws {
    let (person, desk) = Self.pairs
    let store = try fixture.open(
      schema: Schema(storeSchema: StoreSchema(entities: [person, desk]))
    )
    func pair(_ number: Int64) -> [DefaultSnapshot] {
      var owner = DefaultSnapshot.new(person, [.string("Ann"), .null])
      let table = DefaultSnapshot.new(
        desk,
        [.integer(number), .identifier(owner.persistentIdentifier)]
      )
      owner["desk"] = .identifier(table.persistentIdentifier)
      return [owner, table]
    }
    _ = try store.apply(StoreChanges(inserted: pair(1)))
    let before = try store.all("Person") + store.all("Desk")
    let error = try #require(throws: DataStoreError.self) {
      try store.apply(StoreChanges(inserted: pair(2)))
    }
    #expect(error == .uniqueConflict)
    #expect(error.message.contains("would lose its required owner"), "\(error)")
    #expect(error.entity == "Desk" && error.property == "owner")
    #expect(error.identifiers == before.map(\.persistentIdentifier))
    #expect(try store.all("Person") + store.all("Desk") == before)
  }

  /// Persons with at most one desk each; a desk requires its owner.
  private static let pairs: (person: StoreEntity, desk: StoreEntity) = (
    StoreEntity(
      name: "Person",
      properties: [
        StoreProperty(name: "name", kind: .attribute(.string)),
        StoreProperty(
          name: "desk",
          kind: .toOne(
            StoreRelationship(destination: "Desk", inverse: "owner", inverseIsToOne: true)
          ),
          isOptional: true
        ),
      ],
      uniquenessConstraints: [["name"]]
    ),
    StoreEntity(
      name: "Desk",
      properties: [
        StoreProperty(name: "number", kind: .attribute(.int64)),
        StoreProperty(
          name: "owner",
          kind: .toOne(
            StoreRelationship(destination: "Person", inverse: "desk", inverseIsToOne: true)
          )
        ),
      ]
    )
  )
}

extension DefaultSnapshot {
  /// A new record of any entity.
  fileprivate static func new(_ entity: StoreEntity, _ values: [StoreValue]) -> DefaultSnapshot {
    DefaultSnapshot(
      persistentIdentifier: PersistentIdentifier(
        scope: .init(storeIdentifier: nil, entityName: entity.name),
        key: .temporary(PersistentIdentifier.nextTemporaryNumber())
      ),
      entity: entity,
      values: values
    )
  }
}
