import Foundation
import JSONFileStore
import StoreProtocol
import Testing

@Suite struct LayoutTests {
  private typealias Layout = JSONFileStoreConfiguration.Layout
  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  private func open(_ fixture: StoreFixture, _ layout: Layout) throws -> JSONFileStore {
    var configuration = fixture.configuration()
    configuration.layout = layout
    return try JSONFileStore(configuration, migrationPlan: nil)
  }

  /// Creates a store whose document has a layout, and closes it.
  private func fill(_ layout: Layout) throws {
    let store = try open(fixture, layout)
    let rows = try store.insert(
      newRow(["name": .string("a \"b\"\n\\"), "ratio": .double(.nan), "flag": .bool(true)]),
      newRow([
        "price": .decimal(Decimal(string: "-12.50") ?? 0),
        "extra": .composite([.init("k", .array([.integer(1), .string("{\n \"x\": [1, 2]}")]))]),
      ])
    )
    try store.update(rows[1], ["friends": .identifiers(rows)])
    try store.insert(newRow(["size": .integer(3)], entity: "Other"))
    try store.close()
  }

  /// The lines of the rows, without the lines of the history after them.
  private func lines(_ fixture: StoreFixture) throws -> [Substring] {
    try fixture.text(fixture.url).split(separator: "\n").filter { !$0.contains("\"generation\"") }
      .prefix { !$0.contains("\"history\"") }.map { $0 }
  }

  @Test(arguments: Layout.allCases)
  private func `a document of either layout opens with both layouts, and is valid JSON`(
    layout: Layout
  ) throws {
    try fill(layout)
    let object = try JSONSerialization.jsonObject(with: Data(contentsOf: fixture.url))
    let entities = try #require((object as? [String: Any])?["entities"] as? [String: [Any]])
    #expect(entities["Item"]?.count == 2)
    #expect(entities["Other"]?.count == 1)
    #expect(entities["Special"]?.count == 0)
    for other in Layout.allCases {
      let copy = try fixture.copy()
      #expect(try open(copy, other).content() == open(fixture, layout).content())
    }
  }

  @Test func `an indented document has one property per line`() throws {
    try fill(.indented)
    let text = try fixture.text(fixture.url)
    #expect(text.hasPrefix("{\n  \"format\": \"OpenSwiftData\",\n  \"version\": 3,\n"))
    #expect(text.contains("    \"Special\": []\n"))
    #expect(text.contains("\n      {\n        \"$id\": 3,\n        \"size\": 3\n      }\n    ]"))
    #expect(text.contains("\n        \"friends\": [1,2]\n"))
    #expect(text.hasSuffix("\n  }\n}\n"))
  }

  @Test(arguments: Layout.allCases)
  private func `changing one value changes only one line`(layout: Layout) throws {
    try fill(layout)
    let before = try lines(fixture)
    let store = try open(fixture, layout)
    let row = try #require(try store.all().last)
    try store.update(row.persistentIdentifier, ["price": .decimal(3)])
    try store.close()
    let after = try lines(fixture)
    #expect(before.count == after.count)
    #expect(zip(before, after).filter { $0 != $1 }.count == 1)
  }

  @Test func `a change of layout writes unread rows exactly as rows that were read`() throws {
    try fill(.lines)
    // The document of a store that reads all rows.
    let read = try fixture.copy()
    do {
      let store = try open(read, .indented)
      _ = try store.content()
      try store.compact()
    }
    let unread = try fixture.copy()
    do { try open(unread, .indented).compact() }
    #expect(try lines(unread) == lines(read))
    #expect(try unread.text(unread.url).contains("\n      {\n"))
    do { try open(unread, .lines).compact() }
    #expect(try lines(unread) == lines(fixture))
  }

  @Test func `a new layout takes effect at the next checkpoint, not before`() throws {
    try fill(.lines)
    let before = try Data(contentsOf: fixture.url)
    do { try open(fixture, .indented).close() }
    #expect(try Data(contentsOf: fixture.url) == before)
    do {
      let store = try open(fixture, .indented)
      try store.insert(newRow(["number": .integer(1)]))
      try store.close()
    }
    #expect(try fixture.text(fixture.url).hasPrefix("{\n  \"format\""))
    let again = try Data(contentsOf: fixture.url)
    do { try open(fixture, .indented).compact() }
    #expect(try Data(contentsOf: fixture.url) == again)
  }

  @Test func `a hand-edited row that was not read keeps its order of properties`() throws {
    try fill(.lines)
    let text = try fixture.text(fixture.url)
    let edited = text.replacingOccurrences(
      of: "{\"$id\":3,\"size\":3}",
      with: "{ \"size\": 3,\n\"$id\": 3 }"
    )
    try #require(edited != text)
    try Data(edited.utf8).write(to: fixture.url)
    do {
      let store = try open(fixture, .indented)
      try store.insert(newRow(["number": .integer(1)]))
      try store.close()
    }
    #expect(
      try fixture.text(fixture.url)
        .contains("\n      {\n        \"size\": 3,\n        \"$id\": 3\n      }\n")
    )
    #expect(try open(fixture, .indented).all("Other").count == 1)
  }
}
