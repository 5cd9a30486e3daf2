import Foundation
import JSONFileStore
import StoreProtocol
import StoreTestSupport
import Testing

/// Saves that exceed the limit of the journal, so that they are checkpointed at once.
@Suite struct LargeSaveTests {
  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  private func open(
    access: FaultyFileAccess = FaultyFileAccess(),
    _ backgroundCheckpointSize: Int = 1 << 20
  ) throws -> JSONFileStore {
    var configuration = fixture.configuration(access: access)
    configuration.journalLimit = 20_000
    configuration.backgroundCheckpointSize = backgroundCheckpointSize
    return try JSONFileStore(configuration, migrationPlan: nil)
  }

  private func rows(_ count: Int, from first: Int = 0) -> StoreChanges {
    StoreChanges(
      inserted: (first..<first + count).map { number in
        newRow(["name": .string("row \(number)"), "number": .integer(Int64(number))])
      }
    )
  }

  /// The limit is 20,000 bytes, and twice that if a thread checkpoints.
  @Test(arguments: [(1 << 20, 2_000), (0, 1_200)])
  func `a large save is written once, as the document`(
    backgroundCheckpointSize: Int,
    count: Int
  ) throws {
    let access = FaultyFileAccess()
    let store = try open(access: access, backgroundCheckpointSize)
    access.reset()
    _ = try store.apply(rows(count))
    #expect(try fixture.names == ["items.json"])
    // One write of the document, one sync of it and one of the folder.
    #expect(access.calls.count { $0 == .write } == 1)
    #expect(access.calls.count { $0 == .sync } == 2)
    #expect(try fixture.copy().open().content() == store.content())
    #expect(try store.all().count == count)
  }

  @Test func `a large save replaces the journal, and later small saves create a new one`() throws {
    let store = try open()
    _ = try store.apply(rows(3))
    #expect(try fixture.names == ["items.json", "items.json.journal"])
    _ = try store.apply(rows(2_000, from: 3))
    #expect(try fixture.names == ["items.json"])
    _ = try store.apply(rows(9, from: 2_003))
    #expect(try fixture.names == ["items.json", "items.json.journal"])
    #expect(try fixture.copy().open().content() == store.content())
    #expect(try store.all().count == 2_012)
    #expect(try store.verify() == [])
  }

  @Test func `after a failed checkpoint, the next one follows when the journal has doubled`() throws
  {
    let access = FaultyFileAccess()
    let store = try open(access: access)
    let row = try #require(store.insert(newRow(["number": .integer(0)])).first)
    let index = try #require(StoreFixture.storeSchema.entity(named: "Item")?.indexByName["number"])
    var number: Int64 = 1_000
    func save() throws {
      number += 1
      let update = StoreUpdate(identifier: row, changes: [.init(index, .integer(number))])
      _ = try store.apply(StoreChanges(updated: [update]))
    }
    access.reset()
    try save()
    let calls = access.calls.count
    var sizes: [Int] = []
    while sizes.count < 2 {
      access.reset(.once(call: calls, code: ENOSPC))
      try save()
      if access.calls.count > calls { sizes.append(try fixture.records().count) }
    }
    let least = 2 * sizes[0] + 1
    #expect((least..<least + 300).contains(sizes[1]))
  }

  @Test func `a large save is written to the journal if the document cannot be written`() throws {
    let access = FaultyFileAccess()
    let store = try open(access: access)
    var outcomes: [String] = []
    for call in 0..<12 {
      // With a journal that the document would replace.
      _ = try store.apply(rows(3, from: 10_000 * (call + 1)))
      access.reset(.once(call: call, code: ENOSPC))
      let count = try store.all().count
      let isSaved = (try? store.apply(rows(1_000, from: 10_000 * (call + 1) + 3))) != nil
      // After the failure, the journal is written, and then the document that replaces it.
      let writes = access.calls.dropFirst(call + 1).count { $0 == .write }
      access.reset()
      outcomes.append(isSaved ? writes == 2 ? "journal" : "document" : "refused")
      #expect(try store.all().count == count + (isSaved ? 1_000 : 0))
      #expect(try fixture.copy().open().content() == store.content())
    }
    // The first calls check the files. The last calls rename the document and sync the folder.
    let expected = ["refused", "refused"] + Array(repeating: "journal", count: 6)
    #expect(outcomes == expected + ["refused", "refused", "refused", "document"])
  }
}
