import Foundation
import SQLiteStore
import StoreProtocol
import Testing

@Suite("A query of values in files")
struct ExternalQueryTests {
  private let folder: TemporaryFolder
  private let filed: SQLiteStore
  private let plain: SQLiteStore

  private static let photo = QueryExpression.property(.element(0), "photo")
  private static let notes = QueryExpression.property(.element(0), "notes")
  private static let extra = QueryExpression.property(.element(0), "extra")
  private static let album = QueryExpression.property(.element(0), "album")

  init() throws {
    folder = try TemporaryFolder()
    filed = try SQLiteStore.withFiles(folder.path("a.db"))
    plain = try SQLiteStore.inMemory(FileSample.schema)
    for store in [filed, plain] { try Self.fill(store) }
    #expect(folder.valueFiles.count == 15)
  }

  /// Long and short values, some of them alike and some absent.
  private static func fill(_ store: SQLiteStore) throws {
    let albums = [FileSample.data(300, 1), FileSample.data(5, 1), .null].map {
      DefaultSnapshot.new(FileSample.album, ["title": .string("album"), "cover": $0])
    }
    let pictures = (0..<12).map { number in
      var values: [String: StoreValue] = [
        "notes": .string(String(repeating: "n\(number % 3) ", count: number % 2 == 0 ? 80 : 3)),
        "album": .identifier(albums[number % 3].persistentIdentifier),
      ]
      if number % 4 != 3 {
        values["photo"] = FileSample.data(number % 2 == 0 ? 200 : 20, UInt8(number % 5))
      }
      if number < 2 {
        let zeros = (0..<30).map { StoreValue.Member("m\($0)", .integer(0)) }
        values["extra"] = .composite([.init("size", .integer(Int64(number)))] + zeros)
      }
      return FileSample.picture("\(number)", values)
    }
    try store.insert(albums + pictures)
  }

  private static let filters: [QueryExpression] = [
    .compare(.equal, photo, .constant(FileSample.data(200, 2))),
    .compare(.notEqual, photo, .constant(FileSample.data(200, 2))),
    .compare(.equal, photo, .constant(.null)),
    .compare(.notEqual, photo, .constant(.null)),
    .compare(.less, photo, .constant(FileSample.data(100, 2))),
    .compare(.greaterOrEqual, photo, .constant(FileSample.data(100, 2))),
    .contains(
      .constant(.array([FileSample.data(200, 0), FileSample.data(20, 1), .null])),
      photo
    ),
    .text(.contains, notes, .constant(.string("n1 n1"))),
    .text(.startsWith, notes, .constant(.string("n2 n2 n2 n"))),
    .text(.localizedStandardContains, notes, .constant(.string("N0"))),
    .compare(.equal, notes, .constant(.string(String(repeating: "n0 ", count: 80)))),
    .isInRange(
      notes,
      lower: .constant(.string("n1")),
      upper: .constant(.string("n2")),
      closed: true
    ),
    .compare(.equal, .property(.property(.element(0), "album"), "cover"), .constant(.null)),
    .compare(
      .equal,
      .property(album, "cover"),
      .constant(FileSample.data(300, 1))
    ),
    .not(.compare(.less, notes, .constant(.string("n1 n1 n1 n1 n1")))),
    .and([
      .compare(.notEqual, photo, .constant(.null)),
      .text(.contains, notes, .constant(.string("n1 "))),
    ]),
  ]

  private func names(_ store: SQLiteStore, _ query: StoreQuery) throws -> [StoreValue?] {
    try store.fetch(query).map { $0["name"] }
  }

  @Test(arguments: filters.indices)
  func `filters them like values in rows`(index: Int) throws {
    let query = StoreQuery(entity: "Picture", filter: Self.filters[index])
    let expected = try names(plain, query)
    #expect(try names(filed, query) == expected)
    #expect(try filed.count(query) == expected.count)
    #expect(try filed.identifiers(query).count == expected.count)
  }

  @Test(arguments: [photo, notes, extra, .property(album, "cover")], [false, true])
  func `sorts them like values in rows`(value: QueryExpression, isReversed: Bool) throws {
    var query = StoreQuery(entity: "Picture", sort: [QuerySort(value, isReversed: isReversed)])
    #expect(try names(filed, query) == names(plain, query))
    query.limit = 4
    query.offset = 2
    #expect(try names(filed, query) == names(plain, query))
  }

  @Test func `evaluates those of related objects`() throws {
    for bytes in [200, 20] {
      let test = QueryExpression.compare(
        .equal,
        .property(.element(1), "photo"),
        .constant(FileSample.data(bytes, 1))
      )
      let filter = QueryExpression.quantified(
        .some,
        .property(.element(0), "pictures"),
        variable: 1,
        test
      )
      let query = StoreQuery(entity: "Album", filter: filter)
      #expect(try filed.identifiers(query).map(\.key) == plain.identifiers(query).map(\.key))
    }
  }

  private func rows(_ store: SQLiteStore, _ selection: StoreSelection) throws -> [[StoreValue]] {
    var rows: [[StoreValue]] = []
    try store.select(selection) { rows.append($0) }
    return rows
  }

  @Test func `selects and groups them like values in rows`() throws {
    let query = StoreQuery(entity: "Picture")
    let values = StoreSelection(
      query,
      columns: [.value(Self.photo), .value(Self.notes), .value(Self.extra)]
    )
    #expect(try rows(filed, values) == rows(plain, values))
    let groups = StoreSelection(
      query,
      groups: [Self.notes],
      columns: [.key(0), .count, .aggregate(.maximum, Self.photo, .data)]
    )
    #expect(try rows(filed, groups) == rows(plain, groups))
  }

  @Test func `tests for nil without opening a file`() throws {
    for name in folder.valueFiles {
      try FileManager.default.removeItem(at: folder.valueFile(name))
    }
    for index in [2, 3, 12] {
      let query = StoreQuery(entity: "Picture", filter: Self.filters[index])
      #expect(try filed.count(query) == plain.count(query))
    }
  }
}
