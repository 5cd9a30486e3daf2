import Foundation
import StoreProtocol
import Testing

@testable import SQLiteStore

/// Statements that queries of one shape share, compared with the evaluator.
@Suite("Queries of one shape")
struct QueryShapeTests {
  private let store: SQLiteStore

  init() throws {
    store = try SQLiteStore.inMemory()
  }

  private static func property(_ name: String) -> QueryExpression {
    .property(.element(0), name)
  }

  private static func compare(
    _ name: String,
    _ comparison: QueryExpression.Comparison,
    _ value: StoreValue
  ) -> QueryExpression {
    .compare(comparison, property(name), .constant(value))
  }

  /// A Boolean value that indicates whether the connection caches a statement for the query.
  private func isCached(
    _ query: StoreQuery,
    _ result: QueryShapes.ResultKind = .keys,
    of other: SQLiteStore? = nil
  ) throws -> Bool {
    let store = other ?? store
    return try store.database.read { connection in
      guard let cached = connection.shapes.statement(of: query, result) else { return false }
      return try !cached.marks.contains { try InexactColumns.isMarked($0, on: connection) }
    }
  }

  /// Rows whose columns SQL compares as Swift does.
  private func fill() throws {
    for number in 0..<20 {
      var values: [String: StoreValue] = [
        "bool": .bool(number % 2 == 0), "double": .double(Double(number) / 4 + 1),
        "decimal": .decimal(Decimal(number)), "string": .string("text \(number % 7)"),
        "date": .date(Date(timeIntervalSinceReferenceDate: Double(number) * 1000 + 1)),
        "int64": .integer(Int64(number % 5)), "int8": .integer(Int64(number)),
      ]
      if number % 6 == 0 { values["int64"] = .null }
      try store.insert([.new(SampleSchema.values, values)])
    }
  }

  private func check(_ query: StoreQuery) throws {
    let expected = try Reference(store).evaluate(query)
    #expect(try store.identifiers(query) == expected)
    #expect(try store.count(query) == expected.count)
    var read: [PersistentIdentifier] = []
    try store.read(query) { read.append($0.identifier) }
    #expect(read == expected)
  }

  private static func several(_ values: [StoreValue], window: Int) -> StoreQuery {
    StoreQuery(
      entity: "Values",
      filter: .and([
        .or([compare("int64", .less, values[0]), compare("int64", .notEqual, values[1])]),
        .not(compare("string", .equal, values[2])),
        .isInRange(
          property("date"),
          lower: .constant(values[3]),
          upper: .constant(values[4]),
          closed: false
        ),
      ]),
      sort: [QuerySort(property: "double", isReversed: true)],
      offset: window,
      limit: window + 3
    )
  }

  private static func date(_ seconds: Double) -> StoreValue {
    .date(Date(timeIntervalSinceReferenceDate: seconds))
  }

  @Test func `share a statement and each return their own result`() throws {
    try fill()
    let first: [StoreValue] = [
      .integer(2), .integer(1), .string("text 3"), Self.date(0), Self.date(9_001),
    ]
    try check(Self.several(first, window: 1))
    for number in 0..<12 {
      let values: [StoreValue] = [
        .integer(Int64(number % 5)), .integer(Int64(number % 3)), .string("text \(number)"),
        Self.date(Double(number) * 500), Self.date(Double(number) * 1_700 + 1),
      ]
      let query = Self.several(values, window: number % 4 + 1)
      for result in [.rows, .keys, .count] as [QueryShapes.ResultKind] {
        #expect(try isCached(query, result))
      }
      try check(query)
    }
  }

  @Test func `differ in shape from queries that need another statement`() throws {
    try fill()
    let query = StoreQuery(entity: "Values", filter: Self.compare("int64", .equal, .integer(1)))
    try check(query)
    #expect(try isCached(query))
    var others: [StoreQuery] = []
    for filter: QueryExpression? in [
      nil, Self.compare("int64", .equal, .null), Self.compare("int64", .less, .integer(1)),
      Self.compare("int8", .equal, .integer(1)), Self.compare("int64", .equal, .double(1)),
      .not(Self.compare("int64", .equal, .integer(1))),
      .compare(.equal, .constant(.integer(1)), Self.property("int64")),
    ] {
      others.append(StoreQuery(entity: "Values", filter: filter))
    }
    others.append(StoreQuery(entity: "Trip", filter: query.filter))
    for change: (inout StoreQuery) -> Void in [
      { $0.limit = 3 }, { $0.offset = 1 }, { $0.includesSubentities = false },
      { $0.properties = ["string"] }, { $0.sort = [QuerySort(property: "string")] },
    ] {
      var other = query
      change(&other)
      others.append(other)
    }
    for other in others { #expect(try !isCached(other), "\(other)") }
  }

  @Test func `have a separate shape for each Boolean value`() throws {
    try fill()
    func query(_ truth: Bool, _ number: Int64) -> StoreQuery {
      let parts = [
        Self.compare("bool", .equal, .bool(truth)), Self.compare("int8", .less, .integer(number)),
      ]
      return StoreQuery(entity: "Values", filter: .and(parts))
    }
    try check(query(true, 9))
    #expect(try isCached(query(true, 4)))
    #expect(try !isCached(query(false, 4)))
    let both: [QueryExpression] = ["bool", "bool"].map { Self.compare($0, .equal, .bool(true)) }
    try check(StoreQuery(entity: "Values", filter: .or(both)))
    #expect(try isCached(StoreQuery(entity: "Values", filter: .or(both))))
    for number in [0, 4, 9] as [Int64] {
      try check(query(true, number))
      try check(query(false, number))
    }
  }

  @Test func `do not cache a statement with two equal values`() throws {
    func query(_ first: Int64, _ second: Int64) -> StoreQuery {
      let parts = [
        Self.compare("int8", .greater, .integer(first)),
        Self.compare("int64", .less, .integer(second)),
      ]
      return StoreQuery(entity: "Values", filter: .and(parts))
    }
    try fill()
    try check(query(3, 3))
    #expect(try !isCached(query(1, 2)))
    try check(query(3, 4))
    #expect(try isCached(query(2, 2)))
    try check(query(2, 2))
  }

  @Test func `are translated again for an inverted range or NaN`() throws {
    try fill()
    func range(_ lower: Int64, _ upper: Int64) -> StoreQuery {
      StoreQuery(
        entity: "Values",
        filter: .isInRange(
          Self.property("int8"),
          lower: .constant(.integer(lower)),
          upper: .constant(.integer(upper)),
          closed: true
        )
      )
    }
    try check(range(3, 7))
    #expect(try isCached(range(4, 9)))
    #expect(try !isCached(range(9, 4)))
    try check(range(9, 4))
    func less(_ number: Double) -> StoreQuery {
      StoreQuery(entity: "Values", filter: Self.compare("double", .lessOrEqual, .double(number)))
    }
    try check(less(2))
    #expect(try isCached(less(-0.0)))
    #expect(try !isCached(less(.nan)))
    for number in [-0.0, 0, .infinity, .nan, 3] { try check(less(number)) }
  }

  @Test func `are translated again after a column gets a value that SQL compares differently`()
    throws
  {
    try fill()
    func equal(_ text: String) -> StoreQuery {
      StoreQuery(
        entity: "Values",
        filter: Self.compare("string", .equal, .string(text)),
        sort: [QuerySort(property: "double")]
      )
    }
    try check(equal("text 1"))
    #expect(try isCached(equal("\u{E9}")))
    try store.insert([.new(SampleSchema.values, ["string": .string("e\u{301}")])])
    #expect(try !isCached(equal("\u{E9}")))
    #expect(try store.count(equal("\u{E9}")) == 1)
    try check(equal("e\u{301}"))
    try store.insert([.new(SampleSchema.values, ["double": .double(-0.0)])])
    try check(equal("text 1"))
  }

  @Test func `return the evaluator's result for any values`() throws {
    var random = RandomExpressions(seed: 71)
    let store = try SQLiteStore.filled(&random)
    let reference = try Reference(store)
    var cached = 0
    for _ in 0..<150 {
      let entity = random.pick(["Values", "Trip", "Item", "Tag"])
      let filter = random.filter(entity, depth: random.pick([1, 1, 2]))
      for _ in 0..<4 {
        let query = StoreQuery(entity: entity, filter: filter.withOtherValues(&random))
        if try isCached(query, of: store) { cached += 1 }
        let isSame = try store.identifiers(query) == reference.evaluate(query)
        #expect(isSame, "\(query)")
      }
    }
    #expect(cached > 30)
  }
}

extension QueryExpression {
  /// The same shape with other values.
  fileprivate func withOtherValues(_ random: inout RandomExpressions) -> QueryExpression {
    guard case .constant(let value) = self else {
      return replacingChildren(children.map { $0.withOtherValues(&random) })
    }
    return switch value {
    case .bool: .constant(random.value(of: .bool))
    case .integer: .constant(random.value(of: .integer))
    case .double: .constant(random.value(of: .double))
    case .string: .constant(random.value(of: .text))
    case .date: .constant(random.value(of: .date))
    case .decimal: .constant(random.value(of: .decimal))
    default: self
    }
  }
}
