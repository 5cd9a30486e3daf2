import Foundation
import JSONFileStore
import StoreProtocol
import Testing

/// Stores that reach the maximum size that can be opened again.
@Suite("A JSON store at its maximum size")
struct SizeLimitTests {
  private static let limit = 30_000
  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  private func open(
    journal: Bool,
    durability: StoreCapabilities.Durability = .full
  ) throws -> JSONFileStore {
    var configuration = fixture.configuration(durability: durability)
    configuration.maximumDocumentSize = Self.limit
    configuration.usesJournal = journal
    return try JSONFileStore(configuration, migrationPlan: nil)
  }

  private var largest: Int {
    get throws {
      try fixture.names.map { name in
        let path = fixture.folder.appending(path: name).path
        return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
      }
      .max() ?? 0
    }
  }

  /// Saves until a save is refused.
  private func fill(_ store: JSONFileStore) throws -> [PersistentIdentifier] {
    var rows: [PersistentIdentifier] = []
    while rows.count < 200 {
      let name = "\(rows.count) " + String(repeating: "x", count: 700)
      do {
        rows += try store.insert(newRow(["name": .string(name)]))
      } catch let error as DataStoreError {
        #expect(error == .notSaved)
        #expect(error.message.contains("maximumDocumentSize"), "\(error)")
        return rows
      }
      #expect(try largest <= Self.limit)
    }
    Issue.record("no save was refused")
    return rows
  }

  @Test func `fills its journal to the last byte`() throws {
    func sizes(limit: Int) throws -> (records: Int, file: Int) {
      let fixture = try StoreFixture()
      var configuration = fixture.configuration()
      configuration.maximumDocumentSize = limit
      let store = try JSONFileStore(configuration, migrationPlan: nil)
      try store.insert(newRow([:]))
      try store.insert(newRow(["name": .string(String(repeating: "x", count: Self.limit))]))
      defer { withExtendedLifetime(store) {} }
      return try (fixture.records().count, Data(contentsOf: fixture.journal).count)
    }
    // Saves record their times, whose texts differ in length, so that some are too large.
    for _ in 0..<100 {
      let limit = try sizes(limit: 10 * Self.limit).records
      do {
        let (records, file) = try sizes(limit: limit)
        #expect(file == limit)
        if records == limit { return }
      } catch let error as DataStoreError where error == .notSaved {}
    }
    Issue.record("no save filled the journal")
  }

  @Test(arguments: [(true, StoreCapabilities.Durability.full), (true, .relaxed), (false, .full)])
  func `refuses a save beyond its maximum size, and can be opened again`(
    journal: Bool,
    durability: StoreCapabilities.Durability
  ) throws {
    let store = try open(journal: journal, durability: durability)
    let rows = try fill(store)
    #expect(rows.count > (journal ? 25 : 20))
    #expect(try largest <= Self.limit)
    let killed = try fixture.copy()
    var configuration = killed.configuration()
    configuration.maximumDocumentSize = Self.limit
    #expect(try JSONFileStore(configuration, migrationPlan: nil).all().count == rows.count)
    #expect(try store.verify() == [])
    // If the journal does not fit into the document, closing throws, and nothing is lost.
    try? store.close()
    let again = try open(journal: journal)
    #expect(try again.all().count == rows.count)
  }

  @Test func `accepts saves again once there is space`() throws {
    let store = try open(journal: false)
    let rows = try fill(store)
    try store.delete(rows[0], rows[1], rows[2])
    try store.insert(newRow(["name": .string("new")]))
    #expect(try store.all().count == rows.count - 2)
  }

  @Test func `reports the size of a journal above the limit, and no damage`() throws {
    let store = try fixture.open()
    for number in 0..<40 {
      let name = "\(number) " + String(repeating: "x", count: 1_000)
      try store.insert(newRow(["name": .string(name)]))
    }
    let killed = try fixture.copy()
    var configuration = killed.configuration()
    configuration.maximumDocumentSize = Self.limit
    let error = try #require(throws: DataStoreError.self) {
      try JSONFileStore(configuration, migrationPlan: nil)
    }
    #expect(error == .invalidConfiguration)
    #expect(error.message.contains("the journal has"))
    #expect(error.file == killed.journal.path)
    #expect(try killed.open().all().count == 40)
  }
}
