import Foundation
import StoreTestSupport
import Testing

@testable import StoreProtocol

@Suite("Schema validation")
struct SchemaCheckTests {
  /// An invalid schema and its expected error.
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let entities: [StoreEntity]
    let location: String

    init(_ sentence: String, at location: String, _ entities: [StoreEntity]) {
      testDescription = sentence
      self.location = location
      self.entities = entities
    }
  }

  private static let name = StoreProperty(name: "name", kind: .attribute(.string))

  private static func entity(
    _ name: String,
    above: String? = nil,
    root: String? = nil,
    _ properties: [StoreProperty] = [name],
    unique: [[String]] = [],
    indices: [[String]] = []
  ) -> StoreEntity {
    StoreEntity(
      name: name,
      superentity: above,
      root: root,
      properties: properties,
      uniquenessConstraints: unique,
      indices: indices
    )
  }

  private static func toOne(
    _ name: String,
    _ destination: String,
    inverse: String? = nil,
    isToOne: Bool = false
  ) -> StoreProperty {
    let relationship = StoreRelationship(
      destination: destination,
      inverse: inverse,
      inverseIsToOne: isToOne
    )
    return StoreProperty(name: name, kind: .toOne(relationship), isOptional: true)
  }

  private static func toMany(
    _ name: String,
    _ destination: String,
    inverse: String? = nil,
    isToOne: Bool = false
  ) -> StoreProperty {
    let relationship = StoreRelationship(
      destination: destination,
      inverse: inverse,
      inverseIsToOne: isToOne
    )
    return StoreProperty(name: name, kind: .toMany(relationship))
  }

  private static func chain(_ count: Int) -> [StoreEntity] {
    (0..<count).map { entity("E\($0)", above: $0 == 0 ? nil : "E\($0 - 1)", root: "E0") }
  }

  static let wrong: [Case] = [
    Case("inherits from itself", at: "A", [entity("A", above: "A")]),
    Case(
      "inherits from itself",
      at: "A",
      [entity("A", above: "B", root: "A"), entity("B", above: "A", root: "A")]
    ),
    Case(
      "inherits from itself",
      at: "A",
      [
        entity("A", above: "B", root: "D"), entity("B", above: "C", root: "D"),
        entity("C", above: "B", root: "D"), entity("D"),
      ]
    ),
    Case("more than 64 levels below its root", at: "E64", chain(65)),
    Case("more than 64 levels below its root", at: "E", chain(20_000)),
    Case("lacks the entity B that it inherits from", at: "A", [entity("A", above: "B")]),
    Case("names C as its root; its root is A", at: "A", [entity("A", root: "C"), entity("C")]),
    Case("two entities with this name", at: "A", [entity("A"), entity("A")]),
    Case("two entities with this name", at: "\u{E9}", [entity("e\u{301}"), entity("\u{E9}")]),
    Case("name is empty or has control characters", at: "", [entity("")]),
    Case("name is empty or has control characters", at: "A\u{1B}", [entity("A\u{1B}[31m")]),
    Case(
      "name that is empty or has control characters",
      at: "A.x\0",
      [entity("A", [StoreProperty(name: "x\0", kind: .attribute(.bool))])]
    ),
    Case("two properties with this name", at: "A.name", [entity("A", [name, name])]),
    Case(
      "lacks a property that it inherits from A",
      at: "B.name",
      [entity("A"), entity("B", above: "A", root: "A", [])]
    ),
    Case(
      "declares it differently",
      at: "B.name",
      [
        entity("A"),
        entity(
          "B",
          above: "A",
          root: "A",
          [StoreProperty(name: "name", kind: .attribute(.bool))]
        ),
      ]
    ),
    Case("lacks the entity B that", at: "A.b", [entity("A", [toOne("b", "B")])]),
    Case(
      "the inverse B.name is not a relationship",
      at: "A.b",
      [entity("A", [toOne("b", "B", inverse: "name")]), entity("B")]
    ),
    Case(
      "the inverse B.gone is not a relationship",
      at: "A.b",
      [entity("A", [toMany("b", "B", inverse: "gone")]), entity("B")]
    ),
    Case(
      "there is no delete rule vanish",
      at: "A.a",
      [
        entity(
          "A",
          [
            StoreProperty(
              name: "a",
              kind: .toMany(StoreRelationship(destination: "A", deleteRule: "vanish"))
            )
          ]
        )
      ]
    ),
    Case(
      "is not the to-one or to-many relationship",
      at: "A.b",
      [
        entity("A", [toMany("b", "B", inverse: "a", isToOne: true)]),
        entity("B", [toMany("a", "A", inverse: "b")]),
      ]
    ),
    Case(
      "the inverse B.a does not refer back",
      at: "A.b",
      [
        entity("A", [toMany("b", "B", inverse: "a", isToOne: true)]),
        entity("B", [toOne("a", "A", inverse: "c", isToOne: true)]),
      ]
    ),
    Case(
      "the inverse B.a does not refer back",
      at: "A.b",
      [
        entity("A", [toMany("b", "B", inverse: "a", isToOne: true)]),
        entity("B", [toOne("a", "C", inverse: "b")]),
        entity("C", [toMany("b", "B", inverse: "a", isToOne: true)]),
      ]
    ),
    Case("unique values of a property that it lacks", at: "A.x", [entity("A", unique: [["x"]])]),
    Case("unique values without properties", at: "A", [entity("A", unique: [[]])]),
    Case("an index of a property that it lacks", at: "A.x", [entity("A", indices: [["x"]])]),
    Case("an index without properties", at: "A", [entity("A", indices: [[]])]),
    Case(
      "cannot be unique",
      at: "A.b",
      [entity("A", [name, toMany("b", "A")], unique: [["name", "b"]])]
    ),
  ]

  /// Returns the encoded form of a schema that may be invalid.
  private static func coded(_ entities: [StoreEntity]) throws -> Data {
    struct Form: Encodable {
      let version = "1.0.0"
      let entities: [StoreEntity.Coded]
    }
    return try JSONEncoder().encode(Form(entities: entities.map(StoreEntity.Coded.init)))
  }

  @Test(arguments: wrong)
  func `refuses an invalid schema that is decoded`(one: Case) throws {
    let data = try Self.coded(one.entities)
    let error = try SmallStack.run {
      try #require(throws: DataStoreError.self) {
        try JSONDecoder().decode(StoreSchema.self, from: data)
      }
    }
    #expect(error == .storeDamaged)
    #expect(error.message.contains(one.testDescription), "\(error)")
    let location = [error.entity, error.property].compactMap(\.self).joined(separator: ".")
    #expect(location.hasPrefix(one.location), "\(location)")
  }

  @Test(arguments: wrong.filter { $0.entities.count < 1_000 })
  func `refuses an invalid schema of a configuration`(one: Case) throws {
    let error = try #require(throws: DataStoreError.self) {
      try StoreSchema(entities: one.entities).validate()
    }
    #expect(error == .invalidConfiguration)
  }

  @Test func `an attribute tells whether it is stored as encoded data`() {
    #expect(Schema.Attribute(.unique, .codable).isCodable)
    #expect(!Schema.Attribute(.unique).isCodable)
  }

  @Test func `accepts a schema at the limits`() throws {
    let employee = Self.entity(
      "Employee",
      above: "Person",
      root: "Person",
      [
        Self.name, Self.toOne("spouse", "Person", inverse: "spouse", isToOne: true),
        Self.toOne("firm", "Firm", inverse: "staff"),
      ],
      unique: [["name", "firm"]],
      indices: [["firm", "name"]]
    )
    let entities =
      Self.chain(64) + [
        Self.entity(
          "Person",
          [Self.name, Self.toOne("spouse", "Person", inverse: "spouse", isToOne: true)]
        ),
        employee,
        Self.entity(
          "Firm",
          [Self.toMany("staff", "Employee", inverse: "firm", isToOne: true)]
        ),
      ]
    let schema = try JSONDecoder().decode(StoreSchema.self, from: Self.coded(entities))
    try schema.validate()
    #expect(schema.entities.count == 67)
    try Schema([Book.self, Author.self]).storeSchema.validate()
  }
}
