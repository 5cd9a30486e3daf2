import Foundation
import SQLiteStore
import StoreProtocol
import Testing

/// Projections and aggregates, compared with the results of the evaluator over all rows.
@Suite("A selection in SQL")
struct SelectionTests {
  private static func property(_ path: String...) -> QueryExpression {
    path.reduce(.element(0)) { .property($0, $1) }
  }

  private func filled(_ seed: UInt64) throws -> SQLiteStore {
    var random = RandomExpressions(seed: seed)
    return try SQLiteStore.filled(&random)
  }

  private func check(_ selection: StoreSelection, on store: SQLiteStore) throws {
    let expected = Result { try Reference(store).evaluate(selection) }
    let found = Result { try store.rows(of: selection) }
    switch (expected, found) {
    case (.success(let expected), .success(let found)):
      let isEqual = found == expected
      let sql = try store.explain(.selection(selection)).statements
      #expect(isEqual, "\(sql)")
    case (.failure(let expected as DataStoreError), .failure(let found as DataStoreError)):
      #expect(expected.code == found.code)
    default:
      Issue.record(
        "only one of both failed: \(try store.explain(.selection(selection)).statements)"
      )
    }
  }

  private static let attributes: [(name: String, type: AttributeType)] = [
    ("bool", .bool), ("int8", .int8), ("int64", .int64), ("uint64", .uint64), ("float", .float),
    ("double", .double), ("decimal", .decimal), ("string", .string), ("date", .date),
    ("data", .data), ("uuid", .uuid), ("url", .url), ("codable", .codable),
  ]

  @Test(arguments: attributes.map(\.name))
  func `groups by values of every type`(_ name: String) throws {
    let store = try filled(3)
    let selection = StoreSelection(
      StoreQuery(entity: "Values"),
      groups: [Self.property(name)],
      columns: [.key(0), .count, .aggregate(.minimum, .element(0), .codable)]
    )
    try check(selection, on: store)
  }

  @Test(arguments: attributes.map(\.name), StoreSelection.Function.allCases)
  func `computes every function over every type`(
    _ name: String,
    _ function: StoreSelection.Function
  ) throws {
    let store = try filled(4)
    let type = Self.attributes.first { $0.name == name }?.type ?? .codable
    for groups in [[], [Self.property("bool")], [Self.property("int8"), Self.property("uuid")]] {
      for filter: QueryExpression? in [nil, .constant(.bool(false))] {
        let selection = StoreSelection(
          StoreQuery(entity: "Values", filter: filter),
          groups: groups,
          columns: [.aggregate(function, Self.property(name), type), .count]
        )
        try check(selection, on: store)
      }
    }
  }

  @Test func `filters, sorts and limits groups`() throws {
    let store = try filled(5)
    let selection = StoreSelection(
      StoreQuery(entity: "Item", offset: 1, limit: 3),
      groups: [Self.property("trip", "name")],
      columns: [.key(0), .count, .aggregate(.sum, Self.property("trip", "days"), .int64)],
      having: .compare(.less, StoreSelection.column(1), .constant(.integer(5))),
      order: [QuerySort(StoreSelection.column(1), isReversed: true)]
    )
    try check(selection, on: store)
  }

  @Test func `returns values and objects through relationships`() throws {
    let log = StatementLog()
    var random = RandomExpressions(seed: 6)
    let store = try SQLiteStore.filled(&random, log: log)
    let selection = StoreSelection(
      StoreQuery(entity: "Item", sort: [QuerySort(Self.property("trip", "name"))], limit: 9),
      columns: [
        .value(.element(0)), .value(Self.property("trip")), .value(Self.property("trip", "next")),
        .value(Self.property("trip", "tags")), .value(Self.property("trip", "items")),
        .value(.aggregate(.count, .property(.unwrap(Self.property("trip")), "items"))),
        .value(.compare(.equal, Self.property("title"), Self.property("trip", "name"))),
      ]
    )
    try check(selection, on: store)
    let statements = try store.explain(.selection(selection)).statements
    #expect(statements.first?.contains("FROM \"Item\"") == true)
    log.clear()
    _ = try store.rows(of: selection)
    #expect(log.counts.prepared == 0)
    #expect(log.counts.texts.filter { $0.contains("FROM \"Item\"") } == statements)
  }

  /// Returns a store with trips that each refer to the preceding one and have two items.
  ///
  /// SQL compares their strings as Swift does.
  private func plain() throws -> SQLiteStore {
    let store = try SQLiteStore.inMemory()
    var trips: [PersistentIdentifier] = []
    for number in 0..<6 {
      var values: [String: StoreValue] = [
        "name": .string("trip \(number / 2)"), "days": .integer(Int64(number)),
        "start": .date(Date(timeIntervalSinceReferenceDate: Double(number))),
      ]
      if let last = trips.last { values["next"] = .identifier(last) }
      trips += try store.insert([.new(SampleSchema.trip, values)])
    }
    try store.insert(
      (0..<14).map { number in
        var values: [String: StoreValue] = ["title": .string("item \(number % 3)")]
        if number < 12 { values["trip"] = .identifier(trips[number / 2]) }
        return .new(SampleSchema.item, values)
      }
    )
    return store
  }

  private func expect(
    joins count: Int,
    of selection: StoreSelection,
    on store: SQLiteStore
  ) throws {
    let statement = try #require(try store.explain(.selection(selection)).statements.first)
    #expect(statement.components(separatedBy: " LEFT JOIN ").count == count + 1, "\(statement)")
  }

  @Test func `joins each referenced table once`() throws {
    let store = try plain()
    let name = Self.property("trip", "name")
    let nextName = Self.property("trip", "next", "name")
    for (groups, values, count) in [
      ([name], [Self.property("trip", "days")], 1),
      ([name, nextName], [Self.property("trip", "days"), nextName], 2),
      ([], [nextName], 2),
      ([Self.property("title")], [Self.property("title")], 0),
    ] {
      let selection = StoreSelection(
        StoreQuery(entity: "Item"),
        groups: groups,
        columns: [.count] + values.map { .aggregate(.distinctCount, $0, .codable) }
      )
      try check(selection, on: store)
      try expect(joins: count, of: selection, on: store)
    }
  }

  @Test(arguments: [("Trip", 1), ("PersonalTrip", 0)])
  func `joins a table to itself, unless the query filters by entity`(
    _ entity: String,
    _ count: Int
  ) throws {
    let store = try plain()
    let selection = StoreSelection(
      StoreQuery(entity: entity),
      groups: [Self.property("next", "name")],
      columns: [.key(0), .count]
    )
    try check(selection, on: store)
    try expect(joins: count, of: selection, on: store)
  }

  @Test func `groups by objects`() throws {
    let store = try filled(7)
    let selection = StoreSelection(
      StoreQuery(entity: "Item"),
      groups: [Self.property("trip")],
      columns: [.key(0), .count, .aggregate(.maximum, Self.property("title"), .string)]
    )
    try check(selection, on: store)
  }

  @Test(arguments: [21, 22, 23, 24] as [UInt64])
  func `returns the same result as the evaluator for random selections`(_ seed: UInt64) throws {
    var random = RandomExpressions(seed: seed)
    let store = try SQLiteStore.filled(&random)
    let reference = try Reference(store)
    for number in 0..<80 {
      let selection = random.selection()
      guard let expected = try? reference.evaluate(selection) else { continue }
      let found = Result { try store.rows(of: selection) }
      guard case .success(expected) = found else {
        let sql = try store.explain(.selection(selection)).statements
        Issue.record("seed \(seed), selection \(number): \(sql)")
        return
      }
    }
  }

  @Test func `reads no record if SQL computes the aggregates`() throws {
    let log = StatementLog()
    let store = try SQLiteStore.inMemory(log: log)
    try store.insert(
      (0..<100).map {
        .new(SampleSchema.values, ["int8": .integer(Int64($0 % 5)), "double": .double(0.1)])
      }
    )
    let selection = StoreSelection(
      StoreQuery(entity: "Values"),
      groups: [Self.property("int8")],
      columns: [.key(0), .count, .aggregate(.sum, Self.property("double"), .double)]
    )
    log.clear()
    let rows = try store.rows(of: selection)
    #expect(rows.map { $0[0] } == (0..<5).map { .integer($0) })
    #expect(rows.allSatisfy { $0[1] == .integer(20) && $0[2] == .double(2) })
    #expect(log.counts.texts.filter { $0.contains("GROUP BY 1") }.count == 1)
    #expect(log.counts.stepped < 12)
  }

  private static func means(_ property: String) -> StoreSelection {
    StoreSelection(
      StoreQuery(entity: "Values"),
      groups: [],
      columns: [
        .aggregate(.average, Self.property(property), .int64),
        .aggregate(.sum, Self.property(property), .int64),
      ]
    )
  }

  @Test(
    arguments: [
      [.max, .max, .min, .min, 3], [.min, .max], [-1, -1, -4_294_967_296, 4_294_967_295], [], [7],
      [.max, -.max, 1 << 32, -1 << 31, 0],
    ] as [[Int64]]
  )
  func `sums integers exactly despite intermediate overflow`(_ numbers: [Int64]) throws {
    let log = StatementLog()
    let store = try SQLiteStore.inMemory(log: log)
    try store.insert(numbers.map { .new(SampleSchema.values, ["int64": .integer($0)]) })
    try store.insert([.new(SampleSchema.values, ["int64": .null])])
    let sum = numbers.reduce(Int128(0)) { $0 + Int128($1) }
    let mean = numbers.isEmpty ? StoreValue.null : .double(Double(sum) / Double(numbers.count))
    log.clear()
    #expect(try store.rows(of: Self.means("int64")) == [[mean, .integer(Int64(sum))]])
    #expect(log.counts.texts.allSatisfy { !$0.contains("osd_aggregate") })
  }

  @Test(arguments: ["'many'", "1.5", "x'00'"])
  func `throws an error for the mean of damaged integers`(_ value: String) throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore.inFile(folder.path("a.db"))
    try store.insert([3, 4].map { .new(SampleSchema.values, ["int64": .integer($0)]) })
    try folder.run("UPDATE \"Values\" SET int64 = \(value) WHERE int64 = 3")
    #expect(throws: DataStoreError.storeDamaged) { try store.rows(of: Self.means("int64")) }
  }

  @Test func `throws an error for a sum that overflows 64 bits`() throws {
    let store = try SQLiteStore.inMemory()
    try store.insert([.max, 1].map { .new(SampleSchema.values, ["int64": .integer($0)]) })
    let selection = StoreSelection(
      StoreQuery(entity: "Values"),
      groups: [],
      columns: [.aggregate(.sum, Self.property("int64"), .int64)]
    )
    #expect(throws: DataStoreError.self) { try store.rows(of: selection) }
    do {
      _ = try store.rows(of: selection)
    } catch let error as DataStoreError {
      #expect(error == .invalidValue)
    }
  }
}

extension SQLiteStore {
  /// Returns all rows of a selection's result.
  func rows(of selection: StoreSelection) throws -> [[StoreValue]] {
    var rows: [[StoreValue]] = []
    try select(selection) { rows.append($0) }
    return rows
  }
}
