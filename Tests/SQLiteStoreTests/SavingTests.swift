import Foundation
import SQLiteStore
import StoreProtocol
import Testing

@Suite("A save")
struct SavingTests {
  private let store: SQLiteStore

  init() throws {
    store = try SQLiteStore.inMemory()
  }

  private func trip(_ name: String, _ values: [String: StoreValue] = [:]) -> DefaultSnapshot {
    .new(SampleSchema.trip, values.merging(["name": .string(name)]) { first, _ in first })
  }

  @Test func `assigns keys in the order of the records`() throws {
    let identifiers = try store.insert([
      .new(SampleSchema.item), trip("a"), .new(SampleSchema.item),
    ])
    #expect(identifiers.map(\.integerKey) == [1, 2, 3])
    #expect(identifiers.map(\.entityName) == ["Item", "Trip", "Item"])
    #expect(identifiers.allSatisfy { $0.storeIdentifier == store.identifier })
  }

  @Test func `never reuses a key after a deletion or an erasure`() throws {
    let first = try store.insert([.new(SampleSchema.item), .new(SampleSchema.item)])
    _ = try store.apply(StoreChanges(deleted: first))
    let second = try store.insert([.new(SampleSchema.item)])
    try store.erase()
    let third = try store.insert([.new(SampleSchema.item)])
    #expect((second + third).map(\.integerKey) == [3, 4])
  }

  @Test func `resolves references among new records in any order`() throws {
    let first = trip("first")
    let second = trip("second", ["next": .identifier(first.persistentIdentifier)])
    var circle = first
    circle["next"] = .identifier(second.persistentIdentifier)
    let item = DefaultSnapshot.new(
      SampleSchema.item,
      ["trip": .identifier(second.persistentIdentifier)]
    )
    let identifiers = try store.insert([item, circle, second])
    #expect(try store.record(identifiers[0])?["trip"] == .identifier(identifiers[2]))
    #expect(try store.record(identifiers[1])?["next"] == .identifier(identifiers[2]))
    #expect(try store.record(identifiers[2])?["next"] == .identifier(identifiers[1]))
  }

  @Test func `refuses a reference to an object that is not inserted`() throws {
    let unsaved = trip("unsaved")
    #expect(throws: DataStoreError.invalidValue) {
      try store.insert([trip("a", ["next": .identifier(unsaved.persistentIdentifier)])])
    }
    #expect(try store.count(StoreQuery(entity: "Trip")) == 0)
  }

  @Test func `keeps the order of related objects in every kind of relationship`() throws {
    let tags = try store.insert(
      ["a", "b", "c"].map { .new(SampleSchema.tag, ["name": .string($0)]) }
    )
    let order = [tags[2], tags[0], tags[1]]
    let owner = try store.insert([trip("x", ["tags": .identifiers(order)])])[0]
    #expect(try store.record(owner)?["tags"] == .identifiers(order))
    #expect(try store.members(of: "tags", in: "Trip", owners: [owner]) == [owner: order])

    let items = try store.insert(
      (0..<4).map { _ in .new(SampleSchema.item, ["trip": .identifier(owner)]) }
    )
    #expect(try store.members(of: "items", in: "Trip", owners: [owner]) == [owner: items])
    let listed = StoreValue.identifiers([items[2], items[0]])
    _ = try store.apply(
      StoreChanges(updated: [.change(owner, SampleSchema.trip, ["items": listed])])
    )
    let expected = [items[2], items[0], items[1], items[3]]
    #expect(try store.members(of: "items", in: "Trip", owners: [owner]) == [owner: expected])
    #expect(try store.record(owner)?["items"] == listed)
  }

  @Test func `changes only the named properties`() throws {
    let identifier = try store.insert([trip("a", ["days": .integer(3)])])[0]
    _ = try store.apply(
      StoreChanges(updated: [.change(identifier, SampleSchema.trip, ["name": .string("b")])])
    )
    let record = try #require(try store.record(identifier))
    #expect(record["name"] == .string("b"))
    #expect(record["days"] == .integer(3))
  }

  @Test func `clears references to deleted rows`() throws {
    let tag = try store.insert([.new(SampleSchema.tag, ["name": .string("t")])])[0]
    let first = try store.insert([trip("a", ["tags": .identifiers([tag])])])[0]
    let rest = try store.insert([
      trip("b", ["next": .identifier(first)]),
      .new(SampleSchema.item, ["trip": .identifier(first)]),
    ])
    _ = try store.apply(StoreChanges(deleted: [first, tag]))
    #expect(try store.record(first) == nil)
    #expect(try store.record(rest[0])?["next"] == .null)
    #expect(try store.record(rest[1])?["trip"] == .null)
    #expect(try store.count(StoreQuery(entity: "Trip")) == 1)
  }

  @Test func `never stores a reference to a deleted row`() throws {
    let gone = try store.insert([trip("gone")])[0]
    let tag = try store.insert([.new(SampleSchema.tag, ["name": .string("t")])])[0]
    _ = try store.apply(StoreChanges(deleted: [gone, tag]))
    let identifiers = try store.insert([
      .new(SampleSchema.item, ["trip": .identifier(gone)]),
      trip("a", ["tags": .identifiers([tag]), "items": .identifiers([gone])]),
    ])
    #expect(try store.record(identifiers[0])?["trip"] == .null)
    #expect(try store.record(identifiers[1])?["tags"] == .identifiers([]))
    #expect(try store.record(identifiers[1])?["items"] == .identifiers([]))
  }

  @Test func `throws a conflict for a deleted row and stores nothing`() throws {
    let identifiers = try store.insert([trip("a"), trip("b")])
    _ = try store.apply(StoreChanges(deleted: [identifiers[1]]))
    #expect(throws: DataStoreError.conflict) {
      try store.apply(
        StoreChanges(
          inserted: [trip("c")],
          updated: identifiers.map { .change($0, SampleSchema.trip, ["days": .integer(1)]) }
        )
      )
    }
    #expect(try store.record(identifiers[0])?["days"] == .null)
    #expect(try store.count(StoreQuery(entity: "Trip")) == 1)
  }

  @Test func `ignores the deletion of a missing row`() throws {
    let identifiers = try store.insert([trip("a"), trip("b")])
    _ = try store.apply(StoreChanges(deleted: [identifiers[0]]))
    let result = try store.apply(StoreChanges(inserted: [trip("c")], deleted: [identifiers[0]]))
    #expect(result.remapped.count == 1)
    let names = try store.fetch(StoreQuery(entity: "Trip")).map { $0["name"] }
    #expect(names == [.string("b"), .string("c")])
  }

  @Test func `keeps the entity of a row of a subclass`() throws {
    let personal = DefaultSnapshot.new(
      SampleSchema.personalTrip,
      ["reason": .string("rest"), "note": .string("text")]
    )
    let business = DefaultSnapshot.new(
      SampleSchema.businessTrip,
      ["perDiem": .double(10), "note": .integer(7)]
    )
    let identifiers = try store.insert([personal, business])
    let records = try store.fetch(StoreQuery(entity: "Trip"))
    #expect(records.map(\.persistentIdentifier) == identifiers)
    #expect(records[0]["note"] == .string("text"))
    #expect(records[1]["note"] == .integer(7))
    #expect(try store.count(StoreQuery(entity: "PersonalTrip")) == 1)
    #expect(try store.count(StoreQuery(entity: "Trip", includesSubentities: false)) == 0)
    let item = try store.insert([
      .new(SampleSchema.item, ["trip": .identifier(identifiers[1])])
    ])
    #expect(try store.record(item[0])?["trip"] == .identifier(identifiers[1]))
  }

  /// Two items that are written directly; the second has no trip.
  private struct Items: RowProducer {
    let trip: PersistentIdentifier

    func write(_ position: Int, to writer: RowWriter) {
      writer.write(position == 0 ? "e\u{301}" : "e", at: 0)
      writer.write(reference: position == 0 ? trip.key : nil, at: 1)
    }
  }

  @Test func `of directly written rows stores references, and strings in any form`() throws {
    let trips = try store.insert([trip("a")])
    var changes = StoreChanges()
    changes.insertions = [.new(2, of: SampleSchema.item, from: Items(trip: trips[0]))]
    let version = try store.apply(changes).version
    let rows = try store.fetch(StoreQuery(entity: "Item"))
    #expect(rows.map(\.version) == [version, version])
    #expect(rows.map { $0["trip"] } == [.identifier(trips[0]), .null])
    let filter = QueryExpression.compare(
      .equal,
      .property(.element(0), "title"),
      .constant(.string("\u{E9}"))
    )
    #expect(try store.count(StoreQuery(entity: "Item", filter: filter)) == 1)
  }
}

@Suite("Unique values")
struct UniquenessTests {
  private let store: SQLiteStore

  init() throws {
    store = try SQLiteStore.inMemory()
  }

  private func tag(_ name: StoreValue) -> DefaultSnapshot {
    .new(SampleSchema.tag, ["name": name])
  }

  private let start = StoreValue.date(Date(timeIntervalSinceReferenceDate: 0))

  @Test func `turn a new record into an update of the stored row`() throws {
    let values: [String: StoreValue] = ["name": .string("a"), "start": start]
    let stored = try store.insert([
      .new(SampleSchema.trip, values.merging(["days": .integer(1)]) { $1 })
    ])
    let new = DefaultSnapshot.new(
      SampleSchema.trip,
      values.merging(["days": .integer(2)]) { $1 }
    )
    let result = try store.apply(StoreChanges(inserted: [new]))
    #expect(result.remapped == [new.persistentIdentifier: stored[0]])
    #expect(result.merged == [new.persistentIdentifier])
    #expect(try store.record(stored[0])?["days"] == .integer(2))
    #expect(try store.count(StoreQuery(entity: "Trip")) == 1)
  }

  @Test func `merge two new records into one row with the later record's values`() throws {
    let trips = (1...2).map { days in
      DefaultSnapshot.new(
        SampleSchema.trip,
        ["name": .string("a"), "start": start, "days": .integer(days)]
      )
    }
    let result = try store.apply(StoreChanges(inserted: trips))
    let row = try #require(result.remapped[trips[0].persistentIdentifier])
    #expect(
      result.remapped == [trips[0].persistentIdentifier: row, trips[1].persistentIdentifier: row]
    )
    #expect(try store.record(row)?["days"] == .integer(2))
    #expect(try store.count(StoreQuery(entity: "Trip")) == 1)
  }

  @Test func `redirect references of the batch to the stored row`() throws {
    let stored = try store.insert([
      .new(SampleSchema.trip, ["name": .string("a"), "start": start])
    ])
    let same = DefaultSnapshot.new(SampleSchema.trip, ["name": .string("a"), "start": start])
    let identifiers = try store.insert([
      .new(SampleSchema.item, ["trip": .identifier(same.persistentIdentifier)]), same,
    ])
    #expect(try store.record(identifiers[0])?["trip"] == .identifier(stored[0]))
  }

  @Test func `include references to records that come later in the batch`() throws {
    let label = StoreEntity(name: "Label", properties: [SampleSchema.attribute("name", .string)])
    let slot = StoreEntity(
      name: "Slot",
      properties: [
        StoreProperty(
          name: "label",
          kind: .toOne(StoreRelationship(destination: "Label")),
          isOptional: true
        )
      ],
      uniquenessConstraints: [["label"]]
    )
    let store = try SQLiteStore.inMemory(StoreSchema(entities: [label, slot]))
    let stored = try store.insert([.new(label)])
    let later = DefaultSnapshot.new(label)
    let saved = try store.insert([
      .new(slot, ["label": .identifier(stored[0])]),
      .new(slot, ["label": .identifier(later.persistentIdentifier)]), later,
    ])
    #expect(
      try store.fetch(StoreQuery(entity: "Slot")).map { $0["label"] }
        == [.identifier(stored[0]), .identifier(saved[2])]
    )
  }

  @Test func `are not enforced for nil`() throws {
    try store.insert([tag(.null), tag(.null)])
    #expect(try store.count(StoreQuery(entity: "Tag")) == 2)
  }

  @Test(arguments: [
    ("é", "e\u{301}"), ("e\u{301}", "é"), ("K", "\u{212A}"), ("\u{212A}", "K"),
  ])
  func `are compared as Swift compares strings`(_ first: String, _ second: String) throws {
    let identifiers = try store.insert([tag(.string(first)), tag(.string("other"))])
    let again = try store.insert([tag(.string(second))])
    #expect(again[0] == identifiers[0])
    #expect(try store.record(again[0])?["name"] == .string(second))
    let third = try store.insert([tag(.string(first))])
    #expect(third[0] == identifiers[0])
    #expect(try store.count(StoreQuery(entity: "Tag")) == 2)
  }

  @Test func `refuse an update to another row's value`() throws {
    let identifiers = try store.insert([tag(.string("a")), tag(.string("b"))])
    let update = StoreUpdate.change(
      identifiers[1],
      SampleSchema.tag,
      ["name": .string("a")]
    )
    let error = #expect(throws: DataStoreError.self) {
      try store.apply(StoreChanges(updated: [update]))
    }
    #expect(error == .uniqueConflict)
    #expect(error?.entity == "Tag")
    #expect(error?.property == "name")
    #expect(error?.message.contains("1") == true && error?.message.contains("2") == true)
    #expect(try store.record(identifiers[1])?["name"] == .string("b"))
  }

  @Test func `can be exchanged between rows in one save`() throws {
    let identifiers = try store.insert([tag(.string("a")), tag(.string("b"))])
    _ = try store.apply(
      StoreChanges(updated: [
        .change(identifiers[0], SampleSchema.tag, ["name": .string("b")]),
        .change(identifiers[1], SampleSchema.tag, ["name": .string("a")]),
      ])
    )
    #expect(try store.record(identifiers[0])?["name"] == .string("b"))
    #expect(try store.record(identifiers[1])?["name"] == .string("a"))
  }

  @Test func `refuse two updates to the same value`() throws {
    let identifiers = try store.insert([tag(.string("a")), tag(.string("b"))])
    #expect(throws: DataStoreError.uniqueConflict) {
      try store.apply(
        StoreChanges(
          updated: identifiers.map { .change($0, SampleSchema.tag, ["name": .string("c")]) }
        )
      )
    }
    #expect(try store.record(identifiers[0])?["name"] == .string("a"))
  }

  @Test func `can be reused after a deletion in the same save`() throws {
    let identifiers = try store.insert([tag(.string("a")), tag(.string("b"))])
    _ = try store.apply(
      StoreChanges(
        updated: [.change(identifiers[1], SampleSchema.tag, ["name": .string("a")])],
        deleted: [identifiers[0]]
      )
    )
    #expect(try store.record(identifiers[1])?["name"] == .string("a"))
  }

  @Test func `are enforced across a hierarchy and in a subentity that declares them`()
    throws
  {
    let values: [String: StoreValue] = ["name": .string("a"), "start": start]
    let stored = try store.insert([.new(SampleSchema.personalTrip, values)])
    let again = try store.insert([.new(SampleSchema.trip, values)])
    #expect(again == stored)
    let codes: [String: StoreValue] = ["code": .string("x")]
    let first = try store.insert([.new(SampleSchema.businessTrip, codes)])
    let second = try store.insert([.new(SampleSchema.businessTrip, codes)])
    #expect(second == first)
  }
}
