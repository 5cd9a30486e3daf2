import Foundation
import Testing

@testable import StoreProtocol

@Suite("The difference between two schemas")
struct SchemaDifferenceTests {
  private func value(
    _ name: String,
    _ type: AttributeType = .string,
    was: String? = nil,
    isOptional: Bool = true,
    default defaultValue: StoreValue? = nil
  ) -> StoreProperty {
    StoreProperty(
      name: name,
      originalName: was,
      kind: .attribute(type),
      isOptional: isOptional,
      defaultValue: defaultValue
    )
  }

  private func schema(_ properties: [StoreProperty], _ more: [StoreEntity] = []) -> StoreSchema {
    StoreSchema(entities: [StoreEntity(name: "Trip", properties: properties)] + more)
  }

  private func lines(_ old: StoreSchema, _ new: StoreSchema) -> [String] {
    SchemaDifference(from: old, to: new).steps.map(\.description)
  }

  @Test func `is empty for another order, version and original name`() {
    let old = schema([value("a"), value("b")])
    let new = StoreSchema(
      version: "2.0.0",
      entities: [StoreEntity(name: "Trip", properties: [value("b", was: "x"), value("a")])]
    )
    #expect(lines(old, new) == [])
    #expect(old.fingerprint == new.fingerprint)
    #expect(old.fingerprint != schema([value("a")]).fingerprint)
  }

  @Test func `is empty if only the option codable differs`() {
    func property(_ options: [String]) -> StoreProperty {
      StoreProperty(name: "x", kind: .attribute(.codable), options: options)
    }
    let plain = schema([property(["externalStorage"])])
    let codable = schema([property(["codable", "externalStorage"])])
    #expect(lines(plain, codable) == [])
    #expect(plain.fingerprint == codable.fingerprint)
    #expect(plain.entities == codable.entities)
    #expect(plain.fingerprint != schema([property([])]).fingerprint)
  }

  @Test func `contains added, removed and renamed entities and properties`() {
    let old = schema([value("title"), value("gone")])
    let new = schema(
      [value("name", was: "title"), value("n", .int64, isOptional: false), value("o")],
      [StoreEntity(name: "Pet", properties: [])]
    )
    #expect(
      lines(old, new) == [
        "Pet: added",
        "Trip.gone: removed with its values",
        "Trip.n: added, if there are no rows, because it is required and has no default value",
        "Trip.name: renamed from title",
        "Trip.o: added",
      ]
    )
  }

  @Test func `a refused one says what it would do, and that nothing was changed`() {
    let old = schema([value("title"), value("gone")])
    let new = schema([value("name", was: "title")], [StoreEntity(name: "Pet", properties: [])])
    let sentence = SchemaDifference(from: old, to: new).refusedSentence
    #expect(sentence.hasPrefix("nothing was changed; from "))
    #expect(
      sentence.hasSuffix(
        ": Pet: would be added; Trip.gone: would be removed with its values; "
          + "Trip.name: would be renamed from title"
      )
    )
  }

  @Test func `renames a property whose older name belongs to another one now`() {
    let old = schema([value("total"), value("b")])
    let new = schema([
      value("total", .int64), value("totalText", was: "total"), value("b", was: "c"),
    ])
    let steps = ["Trip.total: added", "Trip.totalText: renamed from total"]
    #expect(lines(old, new) == steps)
    // Once renamed, both are matched by name.
    #expect(lines(new, new) == [])
  }

  @Test func `an original name takes precedence over the name if it is free`() {
    let old = schema([value("a"), value("b"), value("c")])
    let chain = schema([value("a", was: "b"), value("b", was: "c")])
    #expect(
      lines(old, chain) == [
        "Trip.a: renamed from b", "Trip.a: removed with its values", "Trip.b: renamed from c",
      ]
    )
    // A later version repeats the names, although an older name is there again.
    let later = schema(chain.entities[0].properties + [value("c")])
    #expect(lines(chain, later) == ["Trip.c: added"])
    #expect(lines(later, chain) == ["Trip.c: removed with its values"])
    // The same name counts again for a property whose own name was taken.
    let again = schema([value("d", was: "b"), value("b", was: "c"), value("a", was: "b")])
    #expect(
      lines(later, again) == ["Trip.b: renamed from c", "Trip.d: renamed from b"]
    )
    // Nothing was renamed if both names remain.
    let kept = schema([value("a", was: "b"), value("b"), value("c")])
    #expect(lines(old, kept) == [])
  }

  @Test func `renames properties that exchange their names, once`() {
    let old = schema([value("a"), value("b"), value("c")])
    let pair = schema([value("a", was: "b"), value("b", was: "a"), value("c")])
    #expect(lines(old, pair) == ["Trip.a: renamed from b", "Trip.b: renamed from a"])
    let ring = schema([value("a", was: "b"), value("b", was: "c"), value("c", was: "a")])
    #expect(
      lines(old, ring) == [
        "Trip.a: renamed from b", "Trip.b: renamed from c", "Trip.c: renamed from a",
      ]
    )
    // A later version repeats the names.
    #expect(lines(pair, pair) == [] && lines(ring, ring) == [])
    let later = schema(pair.entities[0].properties + [value("d")])
    #expect(lines(pair, later) == ["Trip.d: added"])
    // A ring that leads to a property with its own name is none.
    let open = schema([value("a", was: "b"), value("b", was: "c"), value("c")])
    #expect(lines(old, open) == [])
    // Two that exchange, and one that takes the name that a third one leaves.
    let beside = schema([value("a", was: "b"), value("b", was: "a"), value("d", was: "c")])
    #expect(
      lines(old, beside) == [
        "Trip.a: renamed from b", "Trip.b: renamed from a", "Trip.d: renamed from c",
      ]
    )
  }

  @Test func `describes whether values convert to a changed type`() {
    let pairs: [(AttributeType, AttributeType, String)] = [
      (.int32, .int64, "Trip.a: int32 becomes int64"),
      (.int32, .double, "Trip.a: int32 becomes double"),
      (.int64, .double, "Trip.a: int64 becomes double, if every value fits"),
      (.int64, .int8, "Trip.a: int64 becomes int8, if every value fits"),
      (.float, .double, "Trip.a: float becomes double"),
      (
        .string, .int64,
        "Trip.a: string becomes int64, which needs a custom stage: the values have no automatic "
          + "conversion"
      ),
    ]
    for (old, new, text) in pairs {
      #expect(lines(schema([value("a", old)]), schema([value("a", new)])) == [text])
    }
  }

  @Test func `contains a property that moves to the superentity once`() {
    let animal = StoreEntity(name: "Animal", properties: [value("name")])
    let dog = { (above: StoreEntity, own: [StoreProperty]) in
      StoreEntity(
        name: "Dog",
        superentity: "Animal",
        root: "Animal",
        properties: above.properties + own
      )
    }
    let above = StoreEntity(name: "Animal", properties: [value("name"), value("age", .int64)])
    let difference = SchemaDifference(
      from: StoreSchema(entities: [animal, dog(animal, [value("age", .int64)])]),
      to: StoreSchema(entities: [above, dog(above, [])])
    )
    #expect(
      difference.steps.map(\.description) == ["Animal.age: added", "Dog.age: moved to Animal"]
    )
    #expect(difference.obstacles.isEmpty)
  }

  @Test func `is lightweight if the related objects can be derived`() {
    func one(_ inverse: String? = nil, toOne: Bool = false) -> StoreProperty.Kind {
      .toOne(StoreRelationship(destination: "Place", inverse: inverse, inverseIsToOne: toOne))
    }
    func many(_ inverse: String? = nil, toOne: Bool = false) -> StoreProperty.Kind {
      .toMany(StoreRelationship(destination: "Place", inverse: inverse, inverseIsToOne: toOne))
    }
    let place = StoreEntity(name: "Place", properties: [value("name")])
    let isLightweight = { (old: StoreProperty.Kind, new: StoreProperty.Kind) in
      SchemaDifference(
        from: schema([StoreProperty(name: "p", kind: old, isOptional: true)], [place]),
        to: schema([StoreProperty(name: "p", kind: new, isOptional: true)], [place])
      ).obstacles.isEmpty
    }
    #expect(isLightweight(one(), many()))
    #expect(!isLightweight(many(), one()))
    #expect(isLightweight(many(), many("trip", toOne: true)))
    // The values of two formerly independent relationships can contradict each other.
    #expect(!isLightweight(many(), many("name", toOne: true)))
    #expect(isLightweight(many("trip", toOne: true), many()))
  }
}
