import Foundation
import JSONFileStore
import StoreProtocol
import Testing

@Suite struct JSONRelationshipTests {
  let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  private func row(_ name: String, _ values: [String: StoreValue] = [:]) -> DefaultSnapshot {
    newRow(values.merging(["name": .string(name)]) { first, _ in first })
  }

  @Test func `new rows may refer to each other in a cycle`() throws {
    var first = row("first")
    var second = row("second")
    first["parent"] = .identifier(second.persistentIdentifier)
    second["parent"] = .identifier(first.persistentIdentifier)
    first["friends"] = .identifiers([second.persistentIdentifier])
    second["extra"] = .array([.identifier(first.persistentIdentifier)])
    var saved: [PersistentIdentifier] = []
    do { saved = try fixture.open().insert(first, second) }
    let rows = try fixture.open().all()
    #expect(rows[0]["parent"] == .identifier(saved[1]))
    #expect(rows[1]["parent"] == .identifier(saved[0]))
    #expect(rows[0]["friends"] == .identifiers([saved[1]]))
    #expect(rows[1]["extra"] == .array([.identifier(saved[0])]))
  }

  @Test func `related objects follow the inverse, in the owner's stored order`() throws {
    let store = try fixture.open()
    let owner = row("owner")
    let children = ["a", "b", "c"].map {
      row($0, ["parent": .identifier(owner.persistentIdentifier)])
    }
    let saved = try store.insert(owner, children[0], children[1], children[2])
    let related = { (store: JSONFileStore) in
      try store.members(of: "children", in: "Item", owners: [saved[0]])[saved[0]]
    }
    #expect(try related(store) == [saved[1], saved[2], saved[3]])
    try store.update(saved[0], ["children": .identifiers([saved[3], saved[1]])])
    #expect(try related(store) == [saved[3], saved[1], saved[2]])
    try store.update(saved[3], ["parent": .null])
    #expect(try related(store) == [saved[1], saved[2]])
    try store.delete(saved[1])
    #expect(try related(store) == [saved[2]])
    let late = try store.insert(row("late", ["parent": .identifier(saved[0])]))
    #expect(try related(store) == [saved[2]] + late)
    try store.close()
    #expect(try related(try fixture.open()) == [saved[2]] + late)
  }

  @Test func `a reference to a deleted row is nil`() throws {
    let store = try fixture.open()
    let target = row("target")
    let saved = try store.insert(
      target,
      row(
        "referring",
        [
          "parent": .identifier(target.persistentIdentifier),
          "friends": .identifiers([target.persistentIdentifier]),
        ]
      )
    )
    try store.delete(saved[0])
    let check = { (store: JSONFileStore) in
      let row = try #require(try store.all().first)
      #expect(row["parent"] == .null)
      #expect(row["friends"] == .identifiers([]))
      let orphans = StoreQuery(
        entity: "Item",
        filter: .compare(.equal, .property(.element(0), "parent"), .constant(.null))
      )
      #expect(try store.identifiers(orphans) == [saved[1]])
      try store.read(StoreQuery(entity: "Item")) { reader in
        let index = try #require(reader.entity.indexByName["parent"])
        #expect(try reader.isNull(at: index))
        #expect(try reader.reference(at: index) == nil)
      }
    }
    try check(store)
    try store.close()
    try check(try fixture.open())
  }

  @Test func `rows are found by a reference, with the same results as a scan`() throws {
    let store = try fixture.open()
    let owners = try store.insert(row("x"), row("y"), row("z"))
    for number in 0..<20 {
      try store.insert(
        row("c\(number)", ["parent": .identifier(owners[number % 3]), "number": .integer(1)])
      )
    }
    let parent = QueryExpression.property(.element(0), "parent")
    let direct = StoreQuery(
      entity: "Item",
      filter: .and([
        .compare(.equal, parent, .constant(.identifier(owners[1]))),
        .compare(.equal, .property(.element(0), "number"), .constant(.integer(1))),
      ])
    )
    let scanned = StoreQuery(
      entity: "Item",
      filter: .not(.compare(.notEqual, parent, .constant(.identifier(owners[1]))))
    )
    #expect(try store.identifiers(direct) == store.identifiers(scanned))
    #expect(try store.count(direct) == 7)
    let several = StoreQuery(
      entity: "Item",
      filter: .contains(.constant(.identifiers([owners[0], owners[2]])), parent)
    )
    #expect(try store.count(several) == 13)
  }

  @Test func `a new row with an existing unique value updates that row`() throws {
    let store = try fixture.open()
    let first = try store.insert(row("a", ["number": .integer(1), "flag": .bool(true)]))
    let second = row("a", ["number": .integer(2)])
    let result = try store.apply(StoreChanges(inserted: [second, row("b")]))
    #expect(result.remapped[second.persistentIdentifier] == first[0])
    #expect(result.merged == [second.persistentIdentifier])
    let rows = try store.all()
    #expect(rows.map(\.persistentIdentifier.integerKey) == [1, 2])
    #expect(rows[0]["number"] == .integer(2))
    #expect(rows[0]["flag"] == .null)
    #expect(try fixture.copy().open().content() == rows)
  }

  @Test func `the later of two new rows with the same unique value wins`() throws {
    let store = try fixture.open()
    let first = row("a", ["number": .integer(1)])
    let second = row("a", ["number": .integer(2)])
    let result = try store.apply(StoreChanges(inserted: [first, second]))
    #expect(Set(result.remapped.values).count == 1)
    #expect(try store.all().map { $0["number"] } == [.integer(2)])
    #expect(try fixture.copy().open().content() == store.content())
  }

  @Test func `a unique value stays taken while other properties of its row change`() throws {
    let store = try fixture.open()
    let saved = try store.insert(row("a"), row("b"))
    func update(_ index: Int, _ name: String, _ value: StoreValue) throws -> StoreUpdate {
      let property = try #require(StoreFixture.storeSchema.entity(named: "Item")?.indexByName[name])
      return StoreUpdate(identifier: saved[index], changes: [.init(property, value)])
    }
    // The second row is named twice: its new name must survive the change of the other property.
    let changes = StoreChanges(
      updated: [
        try update(0, "number", .integer(1)), try update(1, "name", .string("c")),
        try update(1, "number", .integer(2)),
      ]
    )
    _ = try store.apply(changes)
    #expect(throws: DataStoreError.uniqueConflict) {
      try store.update(saved[1], ["name": .string("a")])
    }
    #expect(try store.all().map { $0["number"] } == [.integer(1), .integer(2)])
    #expect(try store.insert(row("a")) == [saved[0]])
    #expect(try store.insert(row("c")) == [saved[1]])
    #expect(try !saved.contains(store.insert(row("b"))[0]))
  }

  @Test func `canonically equivalent strings are the same unique value`() throws {
    let store = try fixture.open()
    try store.insert(newRow(["name": .string("caf\u{E9}")], entity: "Special"))
    try store.insert(row("cafe\u{301}"))
    #expect(try store.count(StoreQuery(entity: "Item")) == 1)
  }

  @Test func `an update to another row's unique value is refused, an exchange is not`() throws {
    let store = try fixture.open()
    let saved = try store.insert(row("a"), row("b"), newRow([:]), newRow([:]))
    let before = try store.content()
    let error = #expect(throws: DataStoreError.self) {
      try store.update(saved[0], ["name": .string("b")])
    }
    #expect(error == .uniqueConflict)
    #expect(error?.message == "Item/1 and Item/2 would have the same name; change one of them")
    #expect(try store.content() == before)
    let index = try #require(StoreFixture.storeSchema.entity(named: "Item")?.indexByName["name"])
    _ = try store.apply(
      StoreChanges(updated: [
        StoreUpdate(identifier: saved[0], changes: [.init(index, .string("b"))]),
        StoreUpdate(identifier: saved[1], changes: [.init(index, .string("a"))]),
      ])
    )
    #expect(try store.all().prefix(2).map { $0["name"] } == [.string("b"), .string("a")])
  }

  @Test func `a unique value can be used again in the save that deletes its row`() throws {
    let store = try fixture.open()
    let saved = try store.insert(row("a"))
    let result = try store.apply(StoreChanges(inserted: [row("a")], deleted: saved))
    #expect(result.merged == [])
    #expect(try store.all().map(\.persistentIdentifier.integerKey) == [2])
  }
}
