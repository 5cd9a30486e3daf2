import Foundation
import QueryEvaluation
import SQLiteStore
import StoreProtocol
import StoreTestSupport
import Testing

/// Conditions and orders through relationships, compared with the evaluator.
@Suite("A query through relationships")
struct QueryRelationshipTests {
  private let store: SQLiteStore

  init() throws {
    store = try SQLiteStore.inMemory()
    var generator = SeededGenerator(seed: 7)
    let tags = (0..<4).map {
      DefaultSnapshot.new(SampleSchema.tag, ["name": .string("tag \($0)")])
    }
    var trips: [DefaultSnapshot] = []
    for number in 0..<12 {
      let entity =
        [SampleSchema.trip, SampleSchema.personalTrip, SampleSchema.businessTrip][number % 3]
      var values: [String: StoreValue] = [
        "name": number % 5 == 0 ? .null : .string("trip \(number % 4)"),
        "start": .date(Date(timeIntervalSinceReferenceDate: Double(number) * 10)),
        "days": number % 4 == 0 ? .null : .integer(Int64(number % 3)),
      ]
      if let last = trips.last, number % 3 != 0 {
        values["next"] = .identifier(last.persistentIdentifier)
      }
      values["tags"] = .identifiers(
        tags.filter { _ in Bool.random(using: &generator) }.map(\.persistentIdentifier)
      )
      trips.append(.new(entity, values))
    }
    let items = (0..<20).map { number in
      DefaultSnapshot.new(
        SampleSchema.item,
        [
          "title": number % 6 == 0 ? .null : .string("trip \(number % 4)"),
          "trip": number % 4 == 0
            ? .null : .identifier(trips[(number * 5) % 12].persistentIdentifier),
        ]
      )
    }
    try store.insert(tags + trips + items)
  }

  /// A query and whether SQL should evaluate it completely.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let entity: String
    var filter: QueryExpression?
    var sort: [QuerySort] = []
    var isNative = true
    var testDescription: String { name }
  }

  private static func property(_ path: String...) -> QueryExpression {
    path.reduce(.element(0)) { .property($0, $1) }
  }

  private static func compare(
    _ comparison: QueryExpression.Comparison,
    _ first: QueryExpression,
    _ value: StoreValue
  ) -> QueryExpression {
    .compare(comparison, first, .constant(value))
  }

  private static let comparisons: [QueryExpression.Comparison] = [
    .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
  ]

  static let cases: [Case] =
    comparisons.flatMap { comparison in
      [
        Case(
          name: "\(comparison) through one",
          entity: "Item",
          filter: compare(comparison, property("trip", "name"), .string("trip 2"))
        ),
        Case(
          name: "\(comparison) through two",
          entity: "Item",
          filter: compare(comparison, property("trip", "next", "days"), .integer(1))
        ),
        Case(
          name: "not \(comparison) through three",
          entity: "Item",
          filter: .not(compare(comparison, property("trip", "next", "next", "days"), .integer(1)))
        ),
        Case(
          name: "not \(comparison) through one",
          entity: "Trip",
          filter: .not(compare(comparison, property("next", "name"), .string("trip 2")))
        ),
        Case(
          name: "\(comparison) of two values",
          entity: "Item",
          filter: .compare(comparison, property("title"), property("trip", "name"))
        ),
        Case(
          name: "not \(comparison) of two values",
          entity: "Item",
          filter: .not(.compare(comparison, property("trip", "name"), property("title")))
        ),
        Case(
          name: "\(comparison) with a value for nil",
          entity: "Trip",
          filter: compare(
            comparison,
            .coalesce(property("days"), .constant(.integer(1))),
            .integer(1)
          )
        ),
        Case(
          name: "not \(comparison) with a value for nil",
          entity: "Item",
          filter: .not(
            compare(
              comparison,
              .coalesce(property("trip", "days"), .constant(.integer(1))),
              .integer(1)
            )
          )
        ),
        Case(
          name: "\(comparison) of a number of related objects",
          entity: "Trip",
          filter: compare(comparison, .aggregate(.count, property("items")), .integer(2))
        ),
        Case(
          name: "not \(comparison) of a number of tags",
          entity: "Trip",
          filter: .not(
            compare(comparison, .aggregate(.count, property("tags")), .integer(2))
          )
        ),
      ]
    } + [
      Case(
        name: "nil through one",
        entity: "Item",
        filter: compare(.equal, property("trip", "name"), .null)
      ),
      Case(
        name: "a value through one",
        entity: "Item",
        filter: compare(.notEqual, property("trip", "next"), .null)
      ),
      Case(
        name: "a list through one",
        entity: "Item",
        filter: .contains(
          .constant(.array([.string("trip 1"), .string("trip 3")])),
          property("trip", "name")
        )
      ),
      Case(
        name: "not a list with nil through one",
        entity: "Item",
        filter: .not(
          .contains(.constant(.array([.string("trip 1"), .null])), property("trip", "name"))
        )
      ),
      Case(
        name: "a range through one",
        entity: "Item",
        filter: .isInRange(
          property("trip", "days"),
          lower: .constant(.integer(1)),
          upper: .constant(.integer(2)),
          closed: false
        )
      ),
      Case(
        name: "no related objects",
        entity: "Trip",
        filter: .aggregate(.isEmpty, property("items"))
      ),
      Case(
        name: "some tags",
        entity: "Trip",
        filter: .not(.aggregate(.isEmpty, property("tags")))
      ),
      Case(
        name: "a forced unwrap",
        entity: "Item",
        filter: compare(
          .notEqual,
          .property(.unwrap(.property(.unwrap(property("trip")), "next")), "name"),
          .string("trip 2")
        )
      ),
      Case(
        name: "a forced unwrap in a disjunction",
        entity: "Item",
        filter: .or([
          compare(.equal, property("title"), .string("trip 1")),
          compare(.notEqual, .unwrap(property("trip")), .null),
        ])
      ),
      Case(
        name: "a kind",
        entity: "Trip",
        filter: .isKind(.element(0), entity: "PersonalTrip")
      ),
      Case(
        name: "an order through two",
        entity: "Item",
        sort: [
          QuerySort(property("trip", "next", "name"), isReversed: true),
          QuerySort(property("trip", "days")),
        ]
      ),
      Case(
        name: "an order by a number of related objects",
        entity: "Trip",
        sort: [QuerySort(.aggregate(.count, property("items")))]
      ),
      Case(
        name: "some related objects that satisfy a condition",
        entity: "Trip",
        filter: .quantified(
          .some,
          property("items"),
          variable: 1,
          .compare(.equal, .property(.element(1), "title"), .constant(.string("trip 1")))
        )
      ),
    ]

  @Test(arguments: cases)
  func `returns the same result as the evaluator`(_ example: Case) throws {
    var query = StoreQuery(entity: example.entity, filter: example.filter, sort: example.sort)
    try check(query, example.isNative)
    query.offset = 2
    query.limit = 4
    try check(query, example.isNative)
  }

  private func check(_ query: StoreQuery, _ isNative: Bool) throws {
    let schema = SampleSchema.store
    let rows = try schema.entities.flatMap { entity in
      try store.fetch(StoreQuery(entity: entity.name, includesSubentities: false)).map {
        SnapshotRow($0, entity)
      }
    }
    let evaluator = QueryEvaluator<SnapshotRow>(
      schema: schema,
      row: { identifier in rows.first { $0.identifier.key == identifier.key } },
      members: { row, index in
        let property = row.entity.properties[index].name
        return try store.members(
          of: property,
          in: row.entity.name,
          owners: [row.identifier]
        )[row.identifier] ?? []
      }
    )
    let expected = try evaluator.evaluate(query, over: rows).map(\.identifier)
    #expect(try store.identifiers(query) == expected)
    #expect(try store.count(query) == expected.count)
    #expect(try store.plan(query).isNative == isNative)
  }
}
