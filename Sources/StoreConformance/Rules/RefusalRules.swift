import Foundation
import StoreProtocol

/// Rules about undeclared features, for which a store must throw so that no program depends on
/// them.
enum RefusalRules {
  static let all: [Rule] = [
    Rule(
      "UNIQUE-090",
      "A store without uniqueness throws for a schema with unique values.",
      needs: [.lacking(.uniqueness)],
      uniqueSchema
    ),
    Rule(
      "VERSION-090",
      "A store without versions throws if a batch expects one; its rows have version 0.",
      needs: [.lacking(.versions)],
      expectedVersions
    ),
    Rule(
      "BATCH-090",
      "A store without bulk changes makes none of them by `plan(_:explained:)`, and throws for each.",
      needs: [.lacking(.batch)],
      bulkChanges
    ),
    Rule(
      "HIST-090",
      "A store without history throws when its history is requested.",
      needs: [.lacking(.history)],
      history
    ),
    Rule(
      "MIGR-090",
      "A store without migration throws for a schema that differs from its rows, and keeps them.",
      needs: [.lacking(.migration), .durability],
      otherSchema
    ),
  ]

  private static func uniqueSchema(_ bench: StoreBench) throws {
    _ = try bench.store
    try expect(
      "opening with unique values",
      bench.schema === Sample.plainSchema,
      "the error unsupportedFeature, since the store declares no uniqueness"
    )
  }

  private static func expectedVersions(_ bench: StoreBench) throws {
    let person = try bench.insert("Person", ["name": .string("Ada")])
    try expect("the version of a row", bench.version(of: person), equals: 0)
    for version in [0, 1] as [Int64] {
      try expect("a save that expects a version", throws: .unsupportedFeature) {
        try bench.save(
          inserting: [Sample.record("Dog")],
          updating: [Sample.update(person, ["name": .string("Eve")])],
          expecting: [person: version]
        )
      }
    }
    let result = try bench.save(updating: [Sample.update(person, ["age": .integer(1)])])
    try expect("the number of a save", result.version, equals: 0)
    try expect("the people", bench.names(of: "Person"), equals: ["Ada"])
    try expect("the animals", bench.names(of: "Animal"), equals: [])
  }

  private static func bulkChanges(_ bench: StoreBench) throws {
    let person = try bench.insert("Person", ["name": .string("Ada"), "age": .integer(1)])
    let older = QueryExpression.arithmetic(.add, .row("age"), .integer(1), .int64)
    let changes: [BulkChange] = [
      .delete(StoreQuery(entity: "Person")),
      .update(StoreQuery(entity: "Person"), [StoreAssignment("age", older)]),
    ]
    for change in changes {
      let part = try bench.store.plan(.change(change))
      try expect("whether it makes all of \(change)", part.isComplete, equals: false)
      try expect("a save with \(change)", throws: .unsupportedFeature) {
        let record = try Sample.record("Dog")
        _ = try bench.store.apply(StoreChanges(bulkChanges: [change], inserted: [record]))
      }
    }
    try expect("the people", bench.names(of: "Person"), equals: ["Ada"])
    try expect("the value", bench.value("age", of: person), equals: .integer(1))
    try expect("the animals", bench.names(of: "Animal"), equals: [])
  }

  private static func history(_ bench: StoreBench) throws {
    try bench.insert("Person", ["name": .string("Ada")])
    guard let store = try bench.untraced as? any HistoryProviding else { return }
    try expect("requesting the history", throws: .unsupportedFeature) {
      _ = try transactionCount(of: store)
    }
  }

  private static func transactionCount<Store: HistoryProviding>(of store: Store) throws -> Int {
    try store.fetchHistory(HistoryDescriptor<Store.HistoryType>()).count
  }

  private static func otherSchema(_ bench: StoreBench) throws {
    let group = try bench.insert("Group", ["name": .string("seven"), "year": .integer(7)])
    let texts = bench.schema.storeSchema.entities.map { entity in
      guard entity.name == "Group" else { return entity }
      return StoreEntity(
        name: entity.name,
        properties: entity.properties.map {
          $0.name == "name" ? SampleEntities.attribute("name", .uuid, isOptional: false) : $0
        }
      )
    }
    let schema = Schema(storeSchema: StoreSchema(version: "2.0.0", entities: texts))
    let before = bench.schema
    try bench.expectRefusal(of: schema)
    try bench.open(before)
    try expect("the name", bench.value("name", of: group), equals: .string("seven"))
  }
}
