import Foundation
import QueryEvaluation
import StoreProtocol
import Testing

@Suite("Expressions on objects")
struct ObjectSemanticsTests {
  private func sample() throws -> EvaluatorSample {
    var sample = EvaluatorSample()
    try sample.add(.integer(5), children: [2, 3])
    try sample.add(.integer(7), parent: 1)
    try sample.add(.integer(2), parent: 1, children: [1])
    try sample.add(.null, parent: 99)
    sample.addSpecial(.integer(7), extra: "x")
    return sample
  }

  private func keys(_ filter: QueryExpression, entity: String = "Item") throws -> [Int64] {
    try sample().keys(StoreQuery(entity: entity, filter: filter))
  }

  private let five = QueryExpression.constant(.integer(5))

  @Test func `a to-one relationship to nil or a missing row is nil`() throws {
    #expect(try keys(.compare(.equal, .property(.parent, "value"), five)) == [2, 3])
    #expect(
      try keys(.compare(.equal, .property(.parent, "value"), .constant(.null))) == [1, 4, 5]
    )
  }

  @Test func `a variable refers to an object in some, each and filter`() throws {
    let bigger = QueryExpression.compare(.greater, .property(.element(1), "value"), .value)
    let isItem = QueryExpression.not(.isKind(.element(0), entity: "Special"))
    func onlyItems(_ test: QueryExpression) -> QueryExpression { .and([isItem, test]) }
    #expect(try keys(onlyItems(.quantified(.some, .children, variable: 1, bigger))) == [1, 3])
    #expect(try keys(onlyItems(.quantified(.every, .children, variable: 1, bigger))) == [2, 3, 4])
    let count = QueryExpression.aggregate(.count, .filter(.children, variable: 1, bigger))
    #expect(try keys(onlyItems(.compare(.equal, count, .constant(.integer(1))))) == [1, 3])
  }

  @Test func `many conditions on one relationship read it and its rows once for each row`() throws {
    let sample = try sample()
    var reads: (rows: Int, members: Int) = (0, 0)
    let evaluator = QueryEvaluator<SnapshotRow>(
      schema: EvaluatorSample.schema,
      row: { identifier in
        reads.rows += 1
        return sample.rows.first { $0.identifier.key == identifier.key }
      },
      members: { row, index in
        reads.members += 1
        return row.value(at: index).identifiers
      }
    )
    let conditions = (1...500).map { number in
      QueryExpression.quantified(
        .some,
        .children,
        variable: 1,
        .compare(.equal, .property(.element(1), "value"), .constant(.integer(Int64(-number))))
      )
    }
    let query = StoreQuery(
      entity: "Item",
      filter: .or(
        conditions + [
          .quantified(
            .some,
            .children,
            variable: 1,
            .compare(.equal, .property(.element(1), "value"), five)
          )
        ]
      )
    )
    #expect(try evaluator.evaluate(query, over: sample.rows).map(\.identifier.integerKey) == [3])
    #expect(reads == (rows: 3, members: sample.rows.count))
  }

  @Test func `a type test uses the entity of the row, not of the reference`() throws {
    #expect(try keys(.isKind(.element(0), entity: "Special")) == [5])
    #expect(try keys(.isKind(.element(0), entity: "Item")) == [1, 2, 3, 4, 5])
    let reference = QueryExpression.constant(.identifier(EvaluatorSample.identifier(5)))
    #expect(try keys(.isKind(reference, entity: "Special")).count == 5)
    let extra = QueryExpression.property(.cast(.element(0), entity: "Special"), "extra")
    #expect(try keys(.compare(.equal, extra, .constant(.string("x")))) == [5])
    #expect(
      try keys(.compare(.equal, .cast(.element(0), entity: "Special"), .constant(.null))) == [
        1, 2, 3, 4,
      ]
    )
  }

  @Test func `a property is found by name if its index differs by entity`() throws {
    #expect(try keys(.compare(.equal, .value, .constant(.integer(7)))) == [2, 5])
  }

  @Test func `a query includes its entity and subentities`() throws {
    let sample = try sample()
    #expect(try sample.keys(StoreQuery(entity: "Item")) == [1, 2, 3, 4, 5])
    #expect(
      try sample.keys(StoreQuery(entity: "Item", includesSubentities: false)) == [1, 2, 3, 4]
    )
    #expect(try sample.keys(StoreQuery(entity: "Special")) == [5])
    #expect(try sample.keys(StoreQuery(entity: "Unrelated")).isEmpty)
  }

  @Test func `rows by identifier are in the order of their keys`() throws {
    let list = [3, 1, 99, 3].map { EvaluatorSample.identifier(Int64($0)) }
    #expect(try sample().keys(.rows(list, of: "Item")) == [1, 3])
  }

  @Test func `a query applies order, ties, offset and limit`() throws {
    func keys(_ sort: [QuerySort], offset: Int = 0, limit: Int? = nil) throws -> [Int64] {
      try sample().keys(StoreQuery(entity: "Item", sort: sort, offset: offset, limit: limit))
    }
    #expect(try keys([QuerySort(property: "value")]) == [4, 3, 1, 2, 5])
    #expect(try keys([QuerySort(property: "value", isReversed: true)]) == [2, 5, 1, 3, 4])
    #expect(try keys([QuerySort(property: "value")], offset: 1, limit: 2) == [3, 1])
    #expect(try keys([], offset: 4) == [5])
    #expect(try keys([], limit: 0).isEmpty)
    #expect(try keys([], offset: -1, limit: -1).isEmpty)
    let overflow = QueryExpression.arithmetic(.add, .value, .constant(.integer(.max)), .int64)
    #expect(try keys([QuerySort(overflow, isReversed: true)]) == [1, 2, 3, 4, 5])
  }

  @Test func `an expression that the schema lacks throws an error`() throws {
    let sample = try sample()
    #expect(throws: DataStoreError.invalidPredicate) {
      try sample.keys(StoreQuery(entity: "Item", filter: .property(.element(0), "none")))
    }
    #expect(throws: DataStoreError.invalidPredicate) {
      try sample.evaluator.test(.isKind(.element(0), entity: "None"))
    }
    #expect(throws: DataStoreError.invalidPredicate) { try sample.evaluator.test(.element(1)) }
    #expect(throws: DataStoreError.invalidPredicate) {
      try sample.evaluator.test(.filter(.children, variable: 0, .constant(.bool(true))))
    }
  }

  @Test func `a record with values in another order is read by name`() throws {
    let entity = try #require(EvaluatorSample.schema.entity(named: "Item"))
    let record = DefaultSnapshot(
      persistentIdentifier: EvaluatorSample.identifier(1),
      names: PropertyNames(["other", "value"]),
      values: [.integer(1), .integer(2)]
    )
    let row = SnapshotRow(record, entity)
    #expect(row.value(at: 0) == .integer(2))
    #expect(row.value(at: 1) == .integer(1))
    #expect(row.value(at: 3) == .null)
  }
}
