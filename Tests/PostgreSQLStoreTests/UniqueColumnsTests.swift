import Foundation
import PostgreSQLClient
import StoreProtocol
import StoreTestSupport
import Testing

@testable import PostgreSQLStore

@Suite struct `The unique values of written rows` {
  /// New rows must be found by the bytes that are computed from records, and the other way round.
  @Test func `are the bytes of the same values in a record`() throws {
    let schema = StoreSchema(entities: [
      StoreEntity(
        name: "Light",
        properties: [
          StoreProperty(name: "value", kind: .attribute(.codable), isOptional: true, isUnique: true)
        ]
      )
    ])
    let map = try SchemaMap(schema)
    let table = try #require(map.tables["Light"])
    var columns = UniqueColumns(of: table, map.catalog)
    try columns.begin("Light")
    var expected = ArrayBuilder(of: Data.self)
    let values =
      HardValues.strings.map(StoreValue.string) + HardValues.doubles.map(StoreValue.double)
      + HardValues.integers.map(StoreValue.integer) + HardValues.dates.map(StoreValue.date)
      + HardValues.data.prefix(4).map(StoreValue.data)
      + [.null, .bool(true), .array([.string("e\u{301}"), .null]), .uuid(UUID())]
    for value in values {
      if columns.contains(0) { columns.note(value, at: 0) }
      try columns.endRow()
      expected.append(try [value].uniqueBytes)
    }
    // A row without the value has none.
    try columns.endRow()
    expected.appendNull()
    #expect(columns.arrays[0].take().bytes == expected.take().bytes)
  }

  @Test func `of several properties are null if one has no value`() throws {
    var columns = try pair()
    columns.note(.string("a"), at: 0)
    columns.note(.integer(1), at: 1)
    try columns.endRow()
    columns.note(.string("b"), at: 0)
    try columns.endRow()
    columns.note(.integer(2), at: 1)
    columns.note(.string("c"), at: 0)
    try columns.endRow()
    var expected = ArrayBuilder(of: Data.self)
    for text in ["[\"a\",1]", nil, "[\"c\",2]"] { expected.append(text.map { Data($0.utf8) }) }
    #expect(columns.arrays[0].take().bytes == expected.take().bytes)
  }

  private func pair() throws -> UniqueColumns {
    let entity = StoreEntity(
      name: "Light",
      properties: [
        StoreProperty(name: "code", kind: .attribute(.string), isOptional: true),
        StoreProperty(name: "number", kind: .attribute(.int64), isOptional: true),
      ],
      uniquenessConstraints: [["code", "number"]]
    )
    let map = try SchemaMap(StoreSchema(entities: [entity]))
    var columns = UniqueColumns(of: try #require(map.tables["Light"]), map.catalog)
    try columns.begin("Light")
    return columns
  }
}
