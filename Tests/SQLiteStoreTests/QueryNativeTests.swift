import Foundation
import SQLiteStore
import StoreProtocol
import Testing

/// At least one condition of each kind of node, compared with the evaluator.
@Suite("A condition that SQL evaluates completely")
struct QueryNativeTests {
  private static func property(_ path: String...) -> QueryExpression {
    path.reduce(.element(0)) { .property($0, $1) }
  }

  private static func member(_ path: String...) -> QueryExpression {
    path.reduce(.element(1)) { .property($0, $1) }
  }

  /// Filled once, because no test changes them.
  private static let stores = Result {
    try ([31, 32, 33] as [UInt64]).map {
      var random = RandomExpressions(seed: $0)
      return try SQLiteStore.filled(&random)
    }
  }

  @Test(arguments: NativeCase.all)
  func `returns the same result as the evaluator`(_ example: NativeCase) throws {
    for store in try Self.stores.get() {
      let reference = try Reference(store)
      var queries = [StoreQuery(entity: example.entity, filter: example.filter, sort: example.sort)]
      if let filter = example.filter {
        queries.append(StoreQuery(entity: example.entity, filter: .not(filter)))
      } else {
        let reversed = example.sort.map { QuerySort($0.value, isReversed: true) }
        queries.append(StoreQuery(entity: example.entity, sort: reversed, offset: 1, limit: 5))
      }
      for query in queries {
        let explanation = try store.explain(.query(query))
        #expect(explanation.isNative, "\(explanation.statements)")
        let isSame = try store.identifiers(query) == reference.evaluate(query)
        #expect(isSame, "\(explanation.statements)")
      }
    }
  }

  @Test(arguments: [true, false])
  func `accepts lists of any length`(_ isPresent: Bool) throws {
    var random = RandomExpressions(seed: 35)
    let store = try SQLiteStore.filled(&random)
    let reference = try Reference(store)
    let values: [StoreValue] = (0..<100_000).map { .string("\($0)") } + [.string("e\u{301}")]
    let numbers: [StoreValue] = (0..<100_000).map { .integer($0) }
    for (name, list) in [("string", values), ("int64", numbers), ("int8", numbers + [.null])] {
      let contains = QueryExpression.contains(.constant(.array(list)), Self.property(name))
      let query = StoreQuery(entity: "Values", filter: isPresent ? contains : .not(contains))
      #expect(try store.plan(query).isNative)
      #expect(try store.identifiers(query) == reference.evaluate(query))
    }
  }

  @Test func `compares properties of different types as the evaluator does`() throws {
    let store = try SQLiteStore.inMemory()
    try store.insert([
      .new(
        SampleSchema.values,
        [
          "bool": .bool(true), "int8": .integer(1), "int64": .integer(1), "uint64": .integer(1),
          "float": .double(1), "double": .double(1), "decimal": .decimal(1),
          "string": .string("1"), "url": .string("1"),
          "date": .date(Date(timeIntervalSinceReferenceDate: 1)),
        ]
      ),
      .new(
        SampleSchema.values,
        ["int64": .integer(.max), "uint64": .unsigned(1 << 63), "double": .double(0x1p63)]
      ),
    ])
    let reference = try Reference(store)
    let names = SampleSchema.values.properties.map(\.name)
    for (first, second) in names.flatMap({ first in names.map { (first, $0) } }) {
      for comparison in [QueryExpression.Comparison.equal, .less] {
        let query = StoreQuery(
          entity: "Values",
          filter: .compare(comparison, Self.property(first), Self.property(second))
        )
        let found = try store.identifiers(query)
        #expect(try found == reference.evaluate(query), "\(first) \(comparison) \(second)")
      }
    }
  }

  @Test func `throws an error for a damaged value`() throws {
    let store = try SQLiteStore.inMemory()
    try store.insert([.new(SampleSchema.values, ["decimal": .decimal(1), "int8": .integer(1)])])
    try store.execute("UPDATE \"Values\" SET decimal = 'x'")
    let filter = QueryExpression.compare(.less, Self.property("decimal"), .constant(.decimal(1)))
    // SQL does not evaluate conditions of this length.
    let long = QueryExpression.or([filter] + (0..<20_000).map { _ in filter })
    for filter in [filter, long] {
      #expect(throws: DataStoreError.storeDamaged) {
        try store.count(StoreQuery(entity: "Values", filter: filter))
      }
    }
    // The connection is still usable.
    #expect(try store.count(StoreQuery(entity: "Values")) == 1)
  }

  @Test func `works with tables and columns of any name`() throws {
    let names = ["t1", "T2", "select", "a\"b", "v", "p; --", "k'"]
    for name in names {
      let other = "\(name)2"
      let schema = StoreSchema(entities: [
        StoreEntity(
          name: name,
          properties: [
            SampleSchema.attribute("v", .string), SampleSchema.attribute("k\" --", .int64),
            StoreProperty(
              name: "p",
              kind: .toMany(
                StoreRelationship(destination: other, inverse: "t1", inverseIsToOne: true)
              )
            ),
            StoreProperty(name: "key", kind: .toMany(StoreRelationship(destination: other))),
          ]
        ),
        StoreEntity(
          name: other,
          properties: [
            SampleSchema.attribute("value", .string),
            StoreProperty(
              name: "t1",
              kind: .toOne(StoreRelationship(destination: name, inverse: "p")),
              isOptional: true
            ),
          ]
        ),
      ])
      try check(schema, name, other)
    }
  }

  private func check(_ schema: StoreSchema, _ name: String, _ other: String) throws {
    let store = try SQLiteStore.inMemory(schema)
    let owner = try #require(schema.entity(named: name))
    let member = try #require(schema.entity(named: other))
    let owners = (0..<3).map {
      DefaultSnapshot.new(owner, ["v": .string("\($0)"), "k\" --": .integer($0)])
    }
    let members = (0..<6).map { number in
      DefaultSnapshot.new(
        member,
        [
          "value": .string("\(number % 3)"),
          "t1": .identifier(owners[number % 2].persistentIdentifier),
        ]
      )
    }
    try store.insert(owners + members)
    let reference = try Reference(store)
    let test = QueryExpression.quantified(
      .some,
      Self.property("p"),
      variable: 1,
      .compare(.equal, Self.member("value"), Self.member("t1", "v"))
    )
    let query = StoreQuery(
      entity: name,
      filter: .or([test, .compare(.greater, Self.property("k\" --"), .constant(.integer(1)))]),
      sort: [QuerySort(.property(.aggregate(.last, Self.property("p")), "value"), isReversed: true)]
    )
    #expect(try store.plan(query).isNative)
    #expect(try store.identifiers(query) == reference.evaluate(query))
  }
}
