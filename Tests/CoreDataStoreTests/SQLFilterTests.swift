import CoreDataFiles
import CoreDataStore
import CoreDataTestSupport
import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

/// Filters and orders in SQL have the evaluator's results, and read no other rows.
@Suite("Filters and orders in SQL")
struct SQLFilterTests {
  private typealias Sample = SampleModel

  /// Strings whose order in Swift differs from that of their bytes, and plain ones.
  private static let texts = [
    "", "K", "\u{212A}", "K0", "k", "é", "e\u{301}", "e\u{301}0", "é0", "z", "Ａ", "😀", "a'b", "~",
  ]

  /// Creates a file with 200 rows of values that are difficult to compare.
  private static func file() throws -> SourceFile {
    func optional(_ name: String, _ type: ManagedModel.AttributeType) -> ManagedModel.Attribute {
      Sample.attribute(name, type) { $0.isOptional = true }
    }
    let item = SampleModel.entity(
      "Item",
      [
        Sample.attribute("number", .integer64), optional("count", .integer16),
        optional("flag", .boolean), Sample.attribute("isDone", .boolean),
        optional("ratio", .double), optional("at", .date), optional("name", .string),
        optional("id", .uuid),
        Sample.attribute("ice", .composite) {
          $0.isOptional = true
          $0.isEnumeration = true
          $0.elements = [Sample.attribute("ice", .string)]
        },
      ],
      [Sample.relationship("owner", "Owner") { $0.isOptional = true }]
    )
    let owner = SampleModel.entity("Owner", [Sample.attribute("name", .string)])
    var generator = SeededGenerator(seed: 32)
    func orNull(_ text: String) -> String {
      Int.random(in: 0..<5, using: &generator) == 0 ? "NULL" : text
    }
    func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }
    let rows = (1...200).map { key in
      let text = texts[Int.random(in: texts.indices, using: &generator)]
      let number = Int.random(in: -3...3, using: &generator)
      let id = SourceFile.literal([UInt8](repeating: UInt8(key % 7), count: 16))
      let values = [
        "\(key)", "1", "1", "\(number)", orNull("\(number * 2)"), orNull("\(key % 2)"),
        "\(key % 2)",
        orNull(key % 3 == 0 ? "\(number)" : "\(number).5"), orNull("\(number * 1_000)"),
        orNull(quoted(text)), orNull(id), orNull(quoted(text)), orNull("\(key % 4 + 1)"),
      ]
      return "(\(values.joined(separator: ", ")))"
    }
    return try SourceFile(
      ManagedModel(entities: [item, owner]),
      """
      CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNUMBER INTEGER,
        ZCOUNT INTEGER, ZFLAG INTEGER, ZISDONE INTEGER, ZRATIO FLOAT, ZAT TIMESTAMP, ZNAME VARCHAR,
        ZID BLOB, ZICE VARCHAR, ZOWNER INTEGER);
      CREATE TABLE ZOWNER (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
      INSERT INTO ZOWNER VALUES (1, 2, 1, 'a'), (2, 2, 1, 'b'), (3, 2, 1, 'c'), (4, 2, 1, 'd');
      INSERT INTO ZITEM VALUES \(rows.joined(separator: ",\n"));
      """
    )
  }

  private static func column(_ name: String) -> QueryExpression { .property(.element(0), name) }

  private static func uuid(_ byte: UInt8) -> StoreValue {
    let bytes = (byte, byte, byte, byte, byte, byte, byte, byte)
    return .uuid(
      UUID(
        uuid: (
          bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5, bytes.6, bytes.7, byte, byte, byte,
          byte, byte, byte, byte, byte
        )
      )
    )
  }

  private static let comparisons: [QueryExpression.Comparison] = [
    .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
  ]

  /// Filters that SQL evaluates completely.
  private static func exactFilters(_ owner: PersistentIdentifier) -> [QueryExpression] {
    var filters: [QueryExpression] = []
    var constants: [(String, StoreValue)] = [
      ("number", .integer(1)), ("number", .double(0.5)), ("count", .integer(2)),
      ("ratio", .double(0.5)), ("ratio", .integer(1)),
      ("at", .date(Date(timeIntervalSinceReferenceDate: 1_000))), ("id", uuid(3)),
      ("ice", .string("z")),
    ]
    constants += texts.map { ("name", .string($0)) }
    for (name, value) in constants {
      for comparison in comparisons {
        filters.append(.compare(comparison, column(name), .constant(value)))
        filters.append(.compare(comparison, .constant(value), column(name)))
        filters.append(.not(.compare(comparison, column(name), .constant(value))))
        filters.append(.compare(comparison, .unwrap(column(name)), .constant(value)))
        // SQL would return another spelling of a string that is not composed.
        if case .string(let text) = value {
          let composed = text.precomposedStringWithCanonicalMapping
          guard composed.utf8.elementsEqual(text.utf8) else { continue }
        }
        filters.append(
          .compare(comparison, .coalesce(column(name), .constant(value)), .constant(value))
        )
      }
    }
    for name in ["count", "flag", "ratio", "at", "name", "id", "ice", "owner"] {
      filters.append(.compare(.equal, column(name), .constant(.null)))
      filters.append(.compare(.notEqual, column(name), .constant(.null)))
    }
    for value in [true, false] {
      filters.append(.compare(.equal, column("flag"), .constant(.bool(value))))
      filters.append(.compare(.notEqual, column("isDone"), .constant(.bool(value))))
    }
    filters += [column("isDone"), .not(column("isDone"))]
    filters += [
      .compare(.equal, column("owner"), .constant(.identifier(owner))),
      .compare(.notEqual, column("owner"), .constant(.identifier(owner))),
      .contains(.constant(.identifiers([owner])), column("owner")),
      .not(.contains(.constant(.identifiers([owner])), column("owner"))),
      .contains(.constant(.array([.integer(1), .integer(3)])), column("number")),
      .contains(.constant(.array([.string("é"), .string("K"), .null])), column("name")),
      .isInRange(
        column("count"),
        lower: .constant(.integer(-2)),
        upper: .constant(.integer(2)),
        closed: false
      ),
      .isKind(.element(0), entity: "Item"),
    ]
    let first = filters[0]
    let second = QueryExpression.compare(.less, column("name"), .constant(.string("z")))
    filters += [
      .and([first, second]), .or([first, second]), .not(.or([first, .not(second)])),
      .and([first, .or([second, column("isDone")])]),
    ]
    let owned = QueryExpression.compare(
      .equal,
      .property(.unwrap(column("owner")), "name"),
      .constant(.string("a"))
    )
    let unwrapped = QueryExpression.compare(
      .less,
      .unwrap(column("count")),
      .constant(.integer(0))
    )
    filters += [
      owned, .and([positive, owned]), .or([positive, owned]), .not(.and([positive, owned])),
      .or([unwrapped, positive]), .not(unwrapped), .and([positive, .not(unwrapped)]),
      .isInRange(
        column("count"),
        lower: .constant(.integer(2)),
        upper: .constant(.integer(-2)),
        closed: true
      ),
    ]
    return filters
  }

  private static let positive = QueryExpression.compare(
    .greater,
    column("number"),
    .constant(.integer(0))
  )

  /// Filters that SQL cannot evaluate, or only in part.
  private static let partFilters: [QueryExpression] = {
    func text(_ test: QueryExpression.TextTest, _ part: String) -> QueryExpression {
      .text(test, .coalesce(column("name"), .constant(.string(""))), .constant(.string(part)))
    }
    return [
      .and([positive, text(.startsWith, "e")]), .or([positive, text(.contains, "0")]),
      text(.contains, "0"), .not(text(.contains, "0")),
      .compare(.equal, column("ratio"), .constant(.double(.nan))),
      .compare(.equal, column("number"), .constant(.string("1"))),
      .compare(
        .equal,
        .coalesce(column("name"), .constant(.string("e\u{301}"))),
        .constant(.string("é"))
      ),
    ]
  }()

  /// Returns the keys of the rows that the evaluator finds among all rows.
  private func expected(_ query: StoreQuery, _ store: CoreDataStore) throws -> [Int64?] {
    let schema = store.schema.storeSchema
    let rows =
      try store.fetch(StoreQuery(entity: "Item")) + store.fetch(StoreQuery(entity: "Owner"))
    let byKey = Dictionary(uniqueKeysWithValues: rows.map { ($0.persistentIdentifier.key, $0) })
    let evaluator = RecordEvaluation(
      schema: schema,
      records: { identifiers, _ in identifiers.compactMap { byKey[$0.key] } },
      members: { _, _, _ in [:] }
    )
    return try evaluator.evaluate(query, over: rows.filter { $0.names.names.contains("number") })
      .map(\.persistentIdentifier.integerKey)
  }

  private func check(_ query: StoreQuery, _ store: CoreDataStore) throws {
    let expected = try expected(query, store)
    #expect(try store.fetch(query).map(\.persistentIdentifier.integerKey) == expected, "\(query)")
    #expect(try store.identifiers(query).map(\.integerKey) == expected, "\(query)")
    #expect(try store.count(query) == expected.count, "\(query)")
  }

  @Test func `filters that run in SQL read only the rows of the result`() throws {
    let file = try Self.file()
    let store = try CoreDataStore(.init(url: file.url))
    let owners = try store.identifiers(StoreQuery(entity: "Owner"))
    for filter in Self.exactFilters(owners[1]) {
      let query = StoreQuery(entity: "Item", filter: filter)
      try check(query, store)
      let before = store.rowsRead
      let count = try store.fetch(query).count
      #expect(store.rowsRead - before == count, "\(filter)")
      _ = try store.count(query)
      _ = try store.identifiers(query)
      #expect(store.rowsRead - before == count, "\(filter)")
      #expect(try store.explain(.query(query)).isNative, "\(filter)")
    }
  }

  @Test func `the evaluator completes filters that SQL cannot evaluate`() throws {
    let file = try Self.file()
    let store = try CoreDataStore(.init(url: file.url))
    for filter in Self.partFilters {
      for sort in [[], [QuerySort(property: "name")]] {
        try check(StoreQuery(entity: "Item", filter: filter, sort: sort), store)
        try check(
          StoreQuery(entity: "Item", filter: filter, sort: sort, offset: 3, limit: 4),
          store
        )
      }
      #expect(try !store.explain(.query(StoreQuery(entity: "Item", filter: filter))).isNative)
    }
    let before = store.rowsRead
    let query = StoreQuery(entity: "Item", filter: Self.partFilters[0])
    _ = try store.fetch(query)
    // A part of a conjunction leaves fewer than half of the rows.
    #expect(store.rowsRead - before < 100)
  }

  @Test(arguments: ["number", "count", "isDone", "flag", "ratio", "at", "name", "id", "ice"])
  func `orders and windows run in SQL`(_ name: String) throws {
    let file = try Self.file()
    let store = try CoreDataStore(.init(url: file.url))
    for isReversed in [false, true] {
      let sort = [
        QuerySort(property: name, isReversed: isReversed), QuerySort(property: "number"),
      ]
      try check(StoreQuery(entity: "Item", sort: sort), store)
      let query = StoreQuery(
        entity: "Item",
        filter: .compare(.greaterOrEqual, Self.column("number"), .constant(.integer(0))),
        sort: sort,
        offset: 5,
        limit: 7
      )
      try check(query, store)
      let before = store.rowsRead
      #expect(try store.fetch(query).count == 7)
      #expect(store.rowsRead - before == 7)
    }
  }

  @Test func `SQL sorts by a property of a related object`() throws {
    let file = try Self.file()
    let store = try CoreDataStore(.init(url: file.url))
    let sort = [QuerySort(.property(Self.column("owner"), "name"), isReversed: true)]
    let query = StoreQuery(entity: "Item", sort: sort, limit: 9)
    try check(query, store)
    #expect(try store.explain(.query(query)).isNative)
  }

  @Test func `any integer but 0 is true, and integers among numbers are numbers`() throws {
    let file = try Self.file()
    let large = 9_007_199_254_740_993
    try file.run("UPDATE ZITEM SET ZISDONE = 2, ZFLAG = -1 WHERE Z_PK = 5")
    try file.run("UPDATE ZITEM SET ZAT = \(large) WHERE Z_PK = 5")
    let store = try CoreDataStore(.init(url: file.url))
    let date = Date(timeIntervalSinceReferenceDate: Double(large))
    for filter in [
      Self.column("isDone"), .not(Self.column("isDone")),
      .compare(.equal, Self.column("flag"), .constant(.bool(true))),
      .compare(.notEqual, Self.column("flag"), .constant(.bool(true))),
      .compare(.equal, Self.column("at"), .constant(.date(date))),
    ] {
      let query = StoreQuery(entity: "Item", filter: filter)
      try check(query, store)
      #expect(try store.explain(.query(query)).isNative, "\(filter)")
    }
  }

  @Test func `a reference differs from the same key in another table`() throws {
    let file = try Self.file()
    let store = try CoreDataStore(.init(url: file.url))
    let item = try #require(try store.identifiers(StoreQuery(entity: "Item")).first)
    let owner = Self.column("owner")
    for (filter, count) in [
      (QueryExpression.compare(.equal, owner, .constant(.identifier(item))), 0),
      (.compare(.notEqual, owner, .constant(.identifier(item))), 200),
      (.contains(.constant(.identifiers([item])), owner), 0),
    ] {
      #expect(try store.count(StoreQuery(entity: "Item", filter: filter)) == count, "\(filter)")
    }
  }

  @Test(arguments: [
    ("Person", QueryExpression.element(0), "Author", [Int64(1)]),
    ("Person", .element(0), "Person", [1, 2]),
    ("Book", .property(.element(0), "owner"), "Critic", [1]),
    ("Book", .property(.element(0), "owner"), "Person", [1, 3]),
  ])
  func `SQL tests the entity of a row and of a reference`(
    _ entity: String,
    _ object: QueryExpression,
    _ kind: String,
    _ keys: [Int64]
  ) throws {
    let file = try SourceFile.hierarchy()
    let store = try CoreDataStore(.init(url: file.url))
    let query = StoreQuery(entity: entity, filter: .isKind(object, entity: kind))
    let found = try store.identifiers(query).compactMap(\.integerKey)
    #expect(found.map { $0 & 0xFFFF } == keys)
    #expect(try store.explain(.query(query)).isNative)
  }

  @Test func `omitted references match nil in filters`() throws {
    let file = try Self.file()
    try file.run("UPDATE ZITEM SET ZOWNER = 77 WHERE Z_PK = 5")
    var configuration = CoreDataStoreConfiguration(url: file.url)
    configuration.unreadableValues = .omit
    let store = try CoreDataStore(configuration)
    let query = StoreQuery(
      entity: "Item",
      filter: .compare(.equal, Self.column("owner"), .constant(.null))
    )
    #expect(try store.fetch(query).contains { $0.persistentIdentifier.integerKey == 5 })
  }
}
