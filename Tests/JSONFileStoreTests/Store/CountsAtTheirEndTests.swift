import Foundation
import JSONFileStore
import StoreHelpers
import StoreProtocol
import Testing

/// Tests of a document with valid numbers that cannot be incremented.
@Suite("A document with a counter at its limit")
struct CountsAtTheirEndTests {
  private let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    let store = try fixture.open()
    try store.insert(newRow(["name": .string("kept")]))
    try store.close()
  }

  private func replace(_ name: String, by number: Int64) throws {
    let text = try String(contentsOf: fixture.url, encoding: .utf8)
    let changed = text.replacing(try Regex("\"\(name)\": ?[0-9]+"), with: "\"\(name)\":\(number)")
    #expect(changed != text)
    try changed.write(to: fixture.url, atomically: false, encoding: .utf8)
  }

  private func names(_ store: JSONFileStore) throws -> [StoreValue?] {
    try store.all().map { $0["name"] }
  }

  private func expectEnd(_ name: String, _ body: () throws -> Void) throws {
    let error = try #require(throws: DataStoreError.self) { try body() }
    #expect(error == .notSaved)
    #expect("\(error)".contains("\(name) has reached its limit"), "\(error)")
  }

  @Test func `is not replaced for generations, and saves go to its journal`() throws {
    try replace("generation", by: StoreNumbers.greatest)
    var store = try fixture.open()
    try store.insert(newRow(["name": .string("new")]))
    #expect(throws: DataStoreError.self) { try store.compact() }
    try? store.close()
    store = try fixture.open()
    #expect(try names(store) == [.string("kept"), .string("new")])
    #expect(try store.verify() == [])
  }

  @Test func `refuses saves for generations if there is no journal`() throws {
    try replace("generation", by: StoreNumbers.greatest)
    var configuration = fixture.configuration()
    configuration.usesJournal = false
    let bytes = try Data(contentsOf: fixture.url)
    let store = try JSONFileStore(configuration, migrationPlan: nil)
    try expectEnd("generations") { try store.insert(newRow(["name": .string("new")])) }
    #expect(try names(store) == [.string("kept")])
    try store.close()
    #expect(try Data(contentsOf: fixture.url) == bytes)
  }

  @Test func `can be written and read in its last generation`() throws {
    try replace("generation", by: StoreNumbers.greatest - 1)
    var store = try fixture.open()
    try store.insert(newRow(["name": .string("new")]))
    try store.compact()
    try store.close()
    store = try fixture.open()
    #expect(try names(store) == [.string("kept"), .string("new")])
  }

  @Test func `refuses new rows for keys, and accepts updates`() throws {
    try replace("nextKey", by: StoreNumbers.greatest - 1)
    var store = try fixture.open()
    let last = try store.insert(newRow(["name": .string("last")]))
    #expect(last.map(\.integerKey) == [StoreNumbers.greatest - 1])
    try expectEnd("keys") { try store.insert(newRow(["name": .string("lost")])) }
    try store.update(last[0], ["name": .string("changed")])
    try store.close()
    store = try fixture.open()
    #expect(try names(store) == [.string("kept"), .string("changed")])
    try expectEnd("keys") { try store.insert(newRow(["name": .string("lost")])) }
  }

  @Test func `refuses each save for save numbers`() throws {
    try replace("cut", by: StoreNumbers.greatest)
    let text = try String(contentsOf: fixture.url, encoding: .utf8)
    let transaction = /\{"number":.*/
    try text.replacing(transaction, with: "").write(
      to: fixture.url,
      atomically: false,
      encoding: .utf8
    )
    let store = try fixture.open()
    try expectEnd("saves") { try store.insert(newRow(["name": .string("lost")])) }
    try expectEnd("saves") { try store.erase() }
    try store.close()
    #expect(try names(try fixture.open()) == [.string("kept")])
  }
}
