import Foundation
import PostgreSQLStore
import PostgreSQLTestSupport
import QueryEvaluation
import StoreProtocol
import Testing

/// Groups and aggregates, compared with the contract's evaluator over all rows.
@Suite(
  .enabled(
    if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
    "no PostgreSQL server is installed"
  )
)
struct `PostgreSQL selections` {
  private static let attributes: [(name: String, type: AttributeType)] = [
    ("bool", .bool), ("int8", .int8), ("int64", .int64), ("uint64", .uint64), ("float", .float),
    ("double", .double), ("decimal", .decimal), ("string", .string), ("date", .date),
    ("data", .data), ("uuid", .uuid), ("url", .url), ("codable", .codable),
  ]

  private static let schema = Schema(
    storeSchema: StoreSchema(entities: [
      StoreEntity(
        name: "Values",
        properties: attributes.map {
          StoreProperty(name: $0.name, kind: .attribute($0.type), isOptional: true)
        } + [
          StoreProperty(
            name: "next",
            kind: .toOne(StoreRelationship(destination: "Values")),
            isOptional: true
          )
        ]
      )
    ])
  )

  /// Returns values of each type that SQL and Swift treat alike.
  private static func plain(_ number: Int) -> [StoreValue] {
    let small = number % 5
    return [
      .bool(small == 0), .integer(Int64(small) - 2), .integer(Int64(number) * 1_000_003),
      small == 0 ? .unsigned(.max) : .integer(Int64(small)), .double(Double(Float(small) / 3)),
      .double(Double(number) / 7), .decimal(Decimal(number) / 8), .string("t\(small) é"),
      .date(Date(timeIntervalSinceReferenceDate: Double(small) - 0.5)), .data(Data([UInt8(small)])),
      .uuid(UUID(uuid: (UInt8(255 - small), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))),
      .string("https://example.com/\(small)"), .array([.integer(Int64(small))]),
    ]
  }

  private static func record(_ values: [StoreValue], _ next: StoreValue) -> DefaultSnapshot {
    DefaultSnapshot(
      persistentIdentifier: PersistentIdentifier(
        scope: .init(storeIdentifier: nil, entityName: "Values"),
        key: .temporary(PersistentIdentifier.nextTemporaryNumber())
      ),
      names: PropertyNames(attributes.map(\.name) + ["next"]),
      values: values + [next]
    )
  }

  /// Runs a body with a new store of rows, each of which refers to the one before.
  private func withStore(
    _ rows: [[StoreValue]],
    _ body: (PostgreSQLStore) throws -> Void
  ) throws {
    let configuration = try SchemaFixture().makeLocation()
    let store = try SchemaFixture().open(configuration, schema: Self.schema)
    var last = StoreValue.null
    let records = rows.map { values in
      let record = Self.record(values, last)
      last = .identifier(record.persistentIdentifier)
      return record
    }
    _ = try store.apply(StoreChanges(inserted: records))
    try body(store)
    try SchemaFixture().destroy(configuration)
  }

  private static func property(_ path: String...) -> QueryExpression {
    path.reduce(.element(0)) { .property($0, $1) }
  }

  /// Compares a result with the evaluator's, including the spelling of strings and the signs of
  /// zeros.
  private func check(_ selection: StoreSelection, on store: PostgreSQLStore) throws {
    let expected = Result { () throws -> [[StoreValue]] in
      var rows: [[StoreValue]] = []
      try store.evaluation.select(selection, from: store.fetch(selection.rowQuery)) {
        rows.append($0)
      }
      return rows
    }
    let found = Result { () throws -> [[StoreValue]] in
      var rows: [[StoreValue]] = []
      try store.select(selection) { rows.append($0) }
      return rows
    }
    switch (expected, found) {
    case (.success(let expected), .success(let found)):
      #expect(found.map(exact) == expected.map(exact), "\(selection.columns)")
    case (.failure(let expected as DataStoreError), .failure(let found as DataStoreError)):
      #expect(expected.code == found.code)
    default: Issue.record("only one of both failed: \(expected), \(found)")
    }
  }

  private func exact(_ values: [StoreValue]) -> [String] {
    values.map { value in
      switch value {
      case .string(let text): "\(Array(text.unicodeScalars))"
      case .double(let number): "double \(number.bitPattern)"
      case .date(let date): "date \(date.timeIntervalSinceReferenceDate.bitPattern)"
      default: "\(value)"
      }
    }
  }

  private func isInSQL(_ selection: StoreSelection, on store: PostgreSQLStore) throws -> Bool {
    try store.explain(.selection(selection)).statements.contains {
      $0.contains("count(*), bool_or(")
    }
  }

  private static let nothing = [StoreValue](repeating: .null, count: attributes.count)

  @Test(arguments: StoreSelection.Function.allCases)
  func `aggregates have the same results on the server as in Swift`(
    _ function: StoreSelection.Function
  ) throws {
    try withStore((0..<40).map(Self.plain) + [Self.nothing]) { store in
      for (name, type) in Self.attributes {
        for groups in [
          [], [Self.property("bool")], [Self.property("next", "string"), Self.property("uuid")],
        ] {
          for filter: QueryExpression? in [nil, .constant(.bool(false))] {
            let selection = StoreSelection(
              StoreQuery(entity: "Values", filter: filter),
              groups: groups,
              columns: [.aggregate(function, Self.property(name), type), .count]
            )
            try check(selection, on: store)
            let hasSum = type.isInteger || [.float, .double, .decimal].contains(type)
            let isSum = function == .sum || function == .average
            guard !isSum || hasSum else { continue }
            let isExtreme = function == .minimum || function == .maximum
            let isInSQL =
              isExtreme ? type != .data && type != .codable : type != .codable || function == .count
            #expect(try self.isInSQL(selection, on: store) == isInSQL, "\(function) of \(name)")
          }
        }
      }
    }
  }

  @Test func `the server groups by all types except lists and structures`() throws {
    try withStore((0..<40).map(Self.plain) + [Self.nothing]) { store in
      for name in Self.attributes.map(\.name) + ["next"] {
        let selection = StoreSelection(
          StoreQuery(entity: "Values", offset: 1, limit: 30),
          groups: [Self.property(name)],
          columns: [.key(0), .count, .aggregate(.count, Self.property("string"), .string)],
          having: .compare(.less, StoreSelection.column(1), .constant(.integer(9))),
          order: [QuerySort(StoreSelection.column(1), isReversed: true)]
        )
        try check(selection, on: store)
        #expect(try isInSQL(selection, on: store) == (name != "codable"), "\(name)")
      }
    }
  }

  @Test func `values that SQL and Swift compare differently have Swift's results`() throws {
    var special: [[StoreValue]] = []
    let nan = Double(bitPattern: 0x7FF8_0000_0000_1234)
    for (number, date, decimal, text) in [
      (-0.0, -0.0, Decimal.nan, "e\u{301}"), (0.0, 0.0, 1, "é"), (nan, nan, .nan, "E\u{301}\0"),
      (.nan, 1.0, 2, "\u{212B}"), (.infinity, 2.0, 1, "Å"),
    ] {
      var values = Self.plain(1)
      values[4] = .double(number)
      values[5] = .double(number)
      values[6] = .decimal(decimal)
      values[7] = .string(text)
      values[8] = .date(Date(timeIntervalSinceReferenceDate: date))
      values[11] = .string(text)
      special.append(values)
    }
    try withStore(special) { store in
      for (name, type) in Self.attributes {
        for function in StoreSelection.Function.allCases {
          for groups in [[], [Self.property(name)], [Self.property("next", name)]] {
            let selection = StoreSelection(
              StoreQuery(entity: "Values"),
              groups: groups,
              columns: [.aggregate(function, Self.property(name), type)]
                + groups.indices.map { .key($0) }
            )
            try check(selection, on: store)
            guard groups.count == 1, (try? isInSQL(selection, on: store)) == true else { continue }
            let isSpecial = [.float, .double, .decimal, .string, .date, .url].contains(type)
            let isLeft = try store.isLeftToSwift(selection)
            #expect(isLeft == isSpecial, "\(function) of \(name) by \(groups)")
          }
        }
      }
    }
  }

  @Test func `sums are exact, and sums that are too large are errors`() throws {
    var rows = (0..<4).map(Self.plain)
    for (index, number) in [Int64.max, .max, .min, .min].enumerated() {
      rows[index][2] = .integer(number)
    }
    let wide = Decimal(string: "12345678901234567890123456789012345678") ?? 0
    for (index, number) in [wide, Decimal(string: "0.125") ?? 0, -wide, 1e-30].enumerated() {
      rows[index][6] = .decimal(number)
    }
    rows[0][5] = .double(1e100)
    rows[1][5] = .double(1)
    rows[2][5] = .double(-1e100)
    try withStore(rows) { store in
      for filter: QueryExpression? in [
        nil, .compare(.greater, Self.property("int64"), .constant(.integer(0))),
      ] {
        for (name, type) in [
          ("int64", AttributeType.int64), ("decimal", .decimal), ("double", .double),
        ] {
          for function in [StoreSelection.Function.sum, .average] {
            let selection = StoreSelection(
              StoreQuery(entity: "Values", filter: filter),
              groups: [],
              columns: [.aggregate(function, Self.property(name), type)]
            )
            try check(selection, on: store)
            #expect(try isInSQL(selection, on: store))
          }
        }
      }
    }
  }
}
