import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("A uniqueness constraint of an ephemeral attribute")
struct EphemeralUniquenessTests {
  private func trip(isEphemeral: Bool) -> StoreEntity {
    StoreEntity(
      name: "Trip",
      properties: [
        StoreProperty(name: "name", kind: .attribute(.string)),
        StoreProperty(
          name: "draft",
          kind: .attribute(.string),
          isOptional: true,
          isUnique: true,
          options: isEphemeral ? ["ephemeral"] : []
        ),
      ],
      uniquenessConstraints: [["name", "draft"]]
    )
  }

  @Test(arguments: EveryStore.files)
  func `always holds, and applies as soon as the attribute is stored`(_ kind: EveryStore) throws {
    let fixture = try StructureFixture(kind)
    let (old, new) = (trip(isEphemeral: true), trip(isEphemeral: false))
    let values: [String: StoreValue] = ["name": .string("a"), "draft": .string("d")]
    let store = try fixture.change(
      [old],
      { store in
        for _ in 0..<2 { try store.insert([.new(old, values)]) }
        #expect(try store.count(StoreQuery(entity: "Trip")) == 2)
      },
      to: [new]
    )
    for _ in 0..<2 { try store.insert([.new(new, values)]) }
    #expect(
      try store.fetch(StoreQuery(entity: "Trip")).map { $0["draft"] }
        == [.null, .null, .string("d")]
    )
  }
}
