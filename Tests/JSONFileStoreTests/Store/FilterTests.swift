import Foundation
import JSONFileStore
import StoreProtocol
import StoreTestSupport
import Testing

/// Tests of filters that run on blocks of rows, column by column, and then in the evaluator.
@Suite struct `JSONFileStore filters many rows` {
  private struct Row {
    let whole: Int64?
    let real: Double?
    let text: String
  }

  private static let entity = StoreEntity(
    name: "Number",
    properties: [
      StoreProperty(name: "whole", kind: .attribute(.int64), isOptional: true),
      StoreProperty(name: "real", kind: .attribute(.double), isOptional: true),
      StoreProperty(name: "text", kind: .attribute(.string)),
    ]
  )

  private let folder: TemporaryFolder
  private let store: JSONFileStore
  private let rows: [Row]

  /// Creates 2,600 rows and deletes a fifth of them.
  init() throws {
    folder = try TemporaryFolder()
    let configuration = JSONFileStoreConfiguration(
      schema: Schema(storeSchema: StoreSchema(entities: [Self.entity])),
      url: folder.file("a.json"),
      durability: .none
    )
    store = try JSONFileStore(configuration, migrationPlan: nil)
    let all = (0..<2_600).map { (number: Int) -> Row in
      let real = number % 17 == 0 ? Double.nan : Double(number) / 10
      return Row(
        whole: number % 11 == 0 ? nil : Int64(number % 100),
        real: number % 13 == 0 ? nil : real,
        text: "row \(number)"
      )
    }
    let records = all.map { row in
      DefaultSnapshot(
        persistentIdentifier: PersistentIdentifier(
          scope: .init(storeIdentifier: nil, entityName: "Number"),
          key: .temporary(PersistentIdentifier.nextTemporaryNumber())
        ),
        names: Self.entity.propertyNames,
        values: [
          row.whole.map(StoreValue.integer) ?? .null, row.real.map(StoreValue.double) ?? .null,
          .string(row.text),
        ]
      )
    }
    var changes = StoreChanges()
    changes.inserted = records
    let keys = try store.apply(changes).remapped
    changes = StoreChanges()
    changes.deleted = records.enumerated().filter { $0.offset % 5 == 3 }
      .compactMap { keys[$0.element.persistentIdentifier] }
    _ = try store.apply(changes)
    rows = all.enumerated().filter { $0.offset % 5 != 3 }.map(\.element)
  }

  private func property(_ name: String) -> QueryExpression { .property(.element(0), name) }

  private func found(_ filter: QueryExpression, limit: Int?) throws -> [String] {
    var query = StoreQuery(entity: "Number", filter: filter)
    query.limit = limit
    let text = try #require(Self.entity.indexByName["text"])
    return try store.fetch(query).map { record in
      guard case .string(let text) = record.values[text] else { return "" }
      return text
    }
  }

  private func expect(
    _ filter: QueryExpression,
    _ passes: (Row) -> Bool,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let expected = rows.filter(passes).map(\.text)
    for limit in [nil, 1, 2, 819, 820, 1_023, 1_024, 1_025, 2_047, 2_048, 5_000] {
      let limited = limit.map { Array(expected.prefix($0)) } ?? expected
      #expect(
        try found(filter, limit: limit) == limited,
        "limit \(limit ?? -1)",
        sourceLocation: location
      )
    }
  }

  @Test func `by a column of integers, doubles or strings with null values`() throws {
    try expect(.compare(.greaterOrEqual, property("whole"), .constant(.integer(40)))) {
      ($0.whole ?? 0) >= 40
    }
    try expect(.compare(.less, property("real"), .constant(.double(100)))) {
      $0.real.map { $0 < 100 } ?? false
    }
    try expect(.compare(.equal, property("whole"), .constant(.integer(0)))) { $0.whole == 0 }
    try expect(.compare(.less, property("whole"), .constant(.integer(-1)))) { _ in false }
    try expect(.compare(.equal, property("text"), .constant(.string("row 2000")))) {
      $0.text == "row 2000"
    }
  }

  @Test func `by several columns, and by the evaluator for other conditions`() throws {
    let whole = QueryExpression.compare(.greater, property("whole"), .constant(.integer(20)))
    let real = QueryExpression.compare(.greaterOrEqual, property("real"), .constant(.double(50)))
    let text = QueryExpression.text(.contains, property("text"), .constant(.string("7")))
    try expect(.and([whole, real])) { ($0.whole ?? 0) > 20 && ($0.real ?? 0) >= 50 }
    try expect(.and([text, whole, real])) {
      ($0.whole ?? 0) > 20 && ($0.real ?? 0) >= 50 && $0.text.contains("7")
    }
    try expect(text) { $0.text.contains("7") }
  }
}
