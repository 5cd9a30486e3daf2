import Foundation
import StoreProtocol
import Testing

@testable import JSONFileStore

/// Tests of rows that are read while their document is scanned.
@Suite struct EarlyReadingTests {
  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  /// Creates a document with two rows of one entity and one of another, edits and opens it.
  private func reopened(_ change: (String) -> String) throws -> JSONFileStore {
    let store = try fixture.open()
    _ = try store.apply(
      StoreChanges(inserted: [
        newRow(["name": .string("a"), "small": .integer(1)]), newRow(["name": .string("ø")]),
        newRow(["size": .integer(7)], entity: "Other"),
      ])
    )
    try store.close()
    try change(fixture.text(fixture.url)).write(to: fixture.url, atomically: true, encoding: .utf8)
    return try fixture.open()
  }

  private func isRead(_ entity: String, in store: JSONFileStore) throws -> Bool {
    let table = try store.core.map.table(of: entity)
    return store.core.inner.withLock { $0.state.tables[table].table != nil }
  }

  @Test func `Rows in the store's own format are read when the store opens`() throws {
    let store = try reopened { $0 }
    #expect(try isRead("Item", in: store))
    #expect(try isRead("Other", in: store))
    #expect(store.core.inner.withLock { $0.state.source.isEmpty })
    #expect(try store.all().map { $0["name"] } == [.string("a"), .string("ø")])
  }

  @Test(arguments: ["{ \"$id\":2,", "{\"$id\": 2,", "{\"link\":null,\"$id\":2,"])
  func `Rows in another format are kept unchanged until they are used`(row: String) throws {
    let store = try reopened { $0.replacing("{\"$id\":2,", with: row) }
    #expect(try !isRead("Item", in: store))
    #expect(try isRead("Other", in: store))
    _ = try store.apply(
      StoreChanges(inserted: [newRow(["size": .integer(8)], entity: "Other")])
    )
    try store.compact()
    #expect(try fixture.text(fixture.url).contains(row))
    #expect(try store.all().map { $0["name"] } == [.string("a"), .string("ø")])
    #expect(try isRead("Item", in: store))
  }

  @Test func `Rows of a large document are kept unchanged until they are used`() throws {
    let space = String(repeating: "\n", count: DocumentContents.earlyReadingLimit)
    let store = try reopened { $0 + space }
    #expect(try !isRead("Item", in: store))
    #expect(try !isRead("Other", in: store))
    #expect(try store.all("Other").count == 1)
    #expect(try isRead("Other", in: store))
    #expect(try !isRead("Item", in: store))
    #expect(try store.all().map { $0["name"] } == [.string("a"), .string("ø")])
  }

  @Test(arguments: ["\"small\":1000", "\"small\":\"1\"", "\"smell\":1", "\"$id\":1"])
  func `A malformed row throws only when its entity is used`(member: String) throws {
    let store = try reopened { $0.replacing("\"small\":1", with: member) }
    #expect(try !isRead("Item", in: store))
    #expect(try store.all("Other").count == 1)
    #expect(throws: DataStoreError.storeDamaged) { try store.all() }
  }

  @Test func `Rows are not read before the document's next key`() throws {
    let store = try reopened { text in
      let line = text.split(separator: "\n").first { $0.contains("\"nextKey\"") } ?? ""
      let rest = text.replacing("\(line)\n", with: "")
      // Before the bracket that closes the document.
      return "\(rest.dropLast(3)),\n\(line.dropLast())\n}\n"
    }
    #expect(try !isRead("Item", in: store))
    #expect(try store.all().count == 2)
  }
}
