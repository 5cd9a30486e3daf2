import Foundation
import SQLiteStore
import StoreProtocol
import Testing

/// Compares SQLite's query plans with the indexes that conditions and orders should use.
@Suite("An index")
struct QueryIndexTests {
  private let store: SQLiteStore

  init() throws {
    store = try SQLiteStore.inMemory()
  }

  private static func property(_ path: String...) -> QueryExpression {
    path.reduce(.element(0)) { .property($0, $1) }
  }

  private static let name = property("name")
  private static let text = QueryExpression.constant(.string("abc"))
  private static let tag = PersistentIdentifier(
    scope: .init(storeIdentifier: nil, entityName: "Tag"),
    key: .integer(1)
  )

  /// A condition and the step that SQLite's plan should contain.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var entity = "Trip"
    let filter: QueryExpression
    let step: String

    init(_ name: String, _ filter: QueryExpression, _ step: String, entity: String = "Trip") {
      testDescription = name
      self.filter = filter
      self.step = step
      self.entity = entity
    }
  }

  static let cases: [Case] = [
    Case(
      "an equality",
      .compare(.equal, name, text),
      "SEARCH Trip USING INDEX Trip(name) (name=?)"
    ),
    Case(
      "a range",
      .isInRange(name, lower: text, upper: .constant(.string("b")), closed: true),
      "(name>? AND name<?)"
    ),
    Case("a prefix", .text(.startsWith, name, text), "(name>? AND name<?)"),
    Case(
      "a short list",
      .contains(.constant(.array([.string("a"), .string("b")])), name),
      "(name=?)"
    ),
    Case(
      "a long list",
      .contains(.constant(.array((0..<1_000).map { .string("\($0)") })), name),
      "(name=?)"
    ),
    Case("nil", .compare(.equal, name, .constant(.null)), "(name=?)"),
    Case(
      "an equality beside a condition that SQL cannot express",
      .and([
        .text(.localizedStandardContains, property("next", "name"), text),
        .compare(.equal, name, text),
      ]),
      "(name=?)"
    ),
    Case(
      "a disjunction of two conditions",
      .or([
        .compare(.equal, name, text),
        .compare(.equal, property("next"), .constant(.identifier(tag))),
      ]),
      "MULTI-INDEX OR"
    ),
    Case(
      "the opposite of a range",
      .not(.compare(.less, property("required"), .constant(.integer(3)))),
      "Strict(required) (required>?)",
      entity: "Strict"
    ),
    Case(
      "an equality through a reference",
      .compare(.equal, property("trip", "name"), text),
      "SEARCH Item USING INDEX Item(trip) (trip=?)",
      entity: "Item"
    ),
    Case(
      "an equality of an object cast to a subclass",
      .compare(.equal, .property(.cast(.element(0), entity: "BusinessTrip"), "code"), text),
      "USING INDEX unique BusinessTrip(code) (code=?)"
    ),
    Case(
      "an equality of an optional",
      .coalesce(
        .map(name, variable: 1, body: .compare(.equal, .element(1), text)),
        .constant(.bool(false))
      ),
      "(name=?)"
    ),
    Case(
      "some related objects",
      .quantified(
        .some,
        property("items"),
        variable: 1,
        .compare(.equal, .property(.element(1), "title"), text)
      ),
      "SEARCH t1 USING INDEX Item(trip) (trip=?)"
    ),
    Case(
      "every object of a to-many relationship",
      .quantified(
        .every,
        property("tags"),
        variable: 1,
        .compare(.equal, .property(.element(1), "name"), text)
      ),
      "SEARCH t1 USING PRIMARY KEY (owner=?)"
    ),
    Case(
      "a number of related objects",
      .compare(.greater, .aggregate(.count, property("items")), .constant(.integer(2))),
      "SEARCH t1 USING COVERING INDEX Item(trip) (trip=?)"
    ),
    Case(
      "an object among the related objects",
      .contains(
        property("tags"),
        .constant(.identifier(tag))
      ),
      "SEARCH Trip USING INTEGER PRIMARY KEY (rowid=?)"
    ),
  ]

  @Test(arguments: cases)
  func `serves a condition`(_ example: Case) throws {
    let store = example.entity == "Strict" ? try Self.strict() : store
    let query = StoreQuery(entity: example.entity, filter: example.filter)
    let explanation = try store.explain(.query(query))
    let steps = explanation.steps.joined(separator: "; ")
    #expect(steps.contains(example.step), "\(steps)")
    #expect(explanation.remainingFilter == nil)
    let readsRelated = example.step.contains("SEARCH t1")
    #expect(readsRelated || !steps.contains("SCAN \(example.entity)"), "\(steps)")
  }

  private static func strict() throws -> SQLiteStore {
    let entity = StoreEntity(
      name: "Strict",
      properties: [SampleSchema.attribute("required", .int64, isOptional: false)],
      indices: [["required"]]
    )
    return try SQLiteStore.inMemory(StoreSchema(entities: [entity]))
  }

  @Test func `serves an equality with an ASCII string in a column with decomposed strings`()
    throws
  {
    try store.insert(
      ["e\u{301}", "\u{E9}", "abc", "K", "\u{212A}"].enumerated().map { number, name in
        .new(
          SampleSchema.trip,
          [
            "name": .string(name),
            "start": .date(Date(timeIntervalSinceReferenceDate: Double(number))),
          ]
        )
      }
    )
    func explained(_ text: String) throws -> (rows: Int, indexes: [String]) {
      let query = StoreQuery(
        entity: "Trip",
        filter: .compare(.equal, Self.name, .constant(.string(text)))
      )
      return (try store.count(query), try store.explain(.query(query)).indexes)
    }
    #expect(try explained("abc").rows == 1)
    #expect(try explained("abc").indexes == ["Trip(name)"])
    #expect(try explained("K").rows == 2)
    #expect(try explained("\u{E9}").rows == 2)
  }

  @Test func `is reported once even if several steps use it`() throws {
    func isNamed(_ name: String, above days: Int64) -> QueryExpression {
      .and([
        .compare(.equal, Self.name, .constant(.string(name))),
        .compare(.greater, Self.property("days"), .constant(.integer(days))),
      ])
    }
    let filter = QueryExpression.or([isNamed("a", above: 1), isNamed("b", above: 2)])
    let explanation = try store.explain(.query(StoreQuery(entity: "Trip", filter: filter)))
    #expect(explanation.steps.count(where: { $0.contains("USING INDEX Trip(name)") }) == 2)
    #expect(explanation.indexes == ["Trip(name)"], "\(explanation.steps)")
    // Each step is indented below the one that it is a part of.
    let indents = explanation.steps.map { $0.prefix { $0 == " " }.count }
    #expect(indents == [0, 2, 4, 2, 4, 0], "\(explanation.steps)")
  }

  @Test func `serves a sort order`() throws {
    for isReversed in [false, true] {
      let query = StoreQuery(
        entity: "Trip",
        sort: [QuerySort(property: "start", isReversed: isReversed)],
        limit: 5
      )
      let steps = try store.explain(.query(query)).steps
      #expect(steps.first == "SCAN Trip USING INDEX Trip(start)")
      #expect(try store.explain(.query(query)).sortsNatively)
    }
  }

  @Test func `determines the reported number of examined rows`() throws {
    try store.insert(
      (0..<40).map {
        .new(SampleSchema.values, ["int64": .integer($0 % 4), "int8": .integer($0)])
      }
    )
    let one = QueryExpression.compare(.equal, Self.property("int64"), .constant(.integer(1)))
    let two = QueryExpression.compare(.less, Self.property("int8"), .constant(.integer(9)))
    let both = try store.explain(.query(StoreQuery(entity: "Values", filter: .and([two, one]))))
    #expect(both.rowsExamined == .rows(10))
    #expect(both.indexes == ["Values(int64)"])
    #expect(both.nativeFilter == .and([two, one]))
    #expect(
      try store.explain(.query(StoreQuery(entity: "Values", filter: two))).rowsExamined == .rows(40)
    )
    #expect(
      try store.explain(.query(StoreQuery(entity: "Values", limit: 3))).rowsExamined == .rows(3)
    )
  }

  @Test func `needs no second statement for a query of the same shape`() throws {
    let log = StatementLog()
    let store = try SQLiteStore.inMemory(log: log)
    func run(_ text: String, _ number: Int64) throws {
      let filter = QueryExpression.and([
        .text(.contains, Self.name, .constant(.string(text))),
        .contains(.constant(.array((0..<number).map { .string("\($0)") })), Self.name),
        .compare(
          .less,
          .arithmetic(.add, Self.property("days"), .constant(.integer(number)), .int64),
          .constant(.integer(7))
        ),
      ])
      _ = try store.identifiers(StoreQuery(entity: "Trip", filter: filter))
    }
    try run("a", 10)
    log.clear()
    try run("b", 30)
    #expect(log.counts.prepared == 0)
  }
}
