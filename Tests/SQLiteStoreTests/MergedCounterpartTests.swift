import Foundation
import SQLiteStore
import StoreProtocol
import Testing

@Suite("A new record that takes a required counterpart from a stored row")
struct MergedCounterpartTests {
  /// A person has at most one desk; a desk requires an owner.
  private static let person = StoreEntity(
    name: "Person",
    properties: [
      SampleSchema.attribute("name", .string),
      StoreProperty(
        name: "desk",
        kind: .toOne(
          StoreRelationship(destination: "Desk", inverse: "owner", inverseIsToOne: true)
        ),
        isOptional: true
      ),
    ],
    uniquenessConstraints: [["name"]]
  )

  private static let desk = StoreEntity(
    name: "Desk",
    properties: [
      SampleSchema.attribute("number", .int64),
      StoreProperty(
        name: "owner",
        kind: .toOne(
          StoreRelationship(destination: "Person", inverse: "desk", inverseIsToOne: true)
        )
      ),
    ]
  )

  private func pair(_ number: Int64) -> [DefaultSnapshot] {
    var owner = DefaultSnapshot.new(Self.person, ["name": .string("Ann")])
    let desk = DefaultSnapshot.new(
      Self.desk,
      ["number": .integer(number), "owner": .identifier(owner.persistentIdentifier)]
    )
    owner["desk"] = .identifier(desk.persistentIdentifier)
    return [owner, desk]
  }

  @Test func `is refused and leaves both stored rows unchanged`() throws {
    let store = try SQLiteStore.inMemory(StoreSchema(entities: [Self.person, Self.desk]))
    try store.insert(pair(1))
    let rows = {
      try store.fetch(StoreQuery(entity: "Person")) + store.fetch(StoreQuery(entity: "Desk"))
    }
    let before = try rows()
    let error = try #require(throws: DataStoreError.self) { try store.insert(pair(2)) }
    #expect(error == .uniqueConflict)
    #expect(error.message.contains("would lose its required owner"), "\(error)")
    #expect(error.entity == "Desk" && error.property == "owner")
    #expect(error.identifiers == before.map(\.persistentIdentifier))
    #expect(try rows() == before)
    #expect(try store.verify() == [])
  }
}
