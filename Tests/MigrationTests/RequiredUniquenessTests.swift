import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("A unique attribute that becomes required with a default value")
struct RequiredUniquenessTests {
  private func trip(isOptional: Bool) -> StoreEntity {
    let code = StoreProperty(
      name: "code",
      kind: .attribute(.string),
      isOptional: isOptional,
      isUnique: true,
      defaultValue: isOptional ? nil : .string("e\u{301}")
    )
    return StoreEntity(name: "Trip", properties: [code])
  }

  @Test(arguments: EveryStore.files, [StoreValue.null, .string("\u{E9}")])
  func `names the attribute if rows would have equal values`(
    _ kind: EveryStore,
    _ value: StoreValue
  ) throws {
    let fixture = try StructureFixture(kind)
    let old = trip(isOptional: true)
    do { try fixture.open([old]).insert([.new(old), .new(old, ["code": value])]) }
    let error = try #require(throws: DataStoreError.self) {
      _ = try fixture.open([trip(isOptional: false)])
    }
    #expect(error == .schemaMismatch && error.entity == "Trip" && error.property == "code")
  }

  @Test(arguments: EveryStore.files)
  func `stays unique after one row got the default value`(_ kind: EveryStore) throws {
    let fixture = try StructureFixture(kind)
    let (old, new) = (trip(isOptional: true), trip(isOptional: false))
    let store = try fixture.change([old], { try $0.insert([.new(old)]) }, to: [new])
    try store.insert([.new(new, ["code": .string("\u{E9}")])])
    #expect(try store.count(StoreQuery(entity: "Trip")) == 1)
  }
}
