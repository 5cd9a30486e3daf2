import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite struct `Rows and history of one state` {
  /// The rows and the history that a reader finds in a store.
  private struct Found: Equatable {
    let rows: [PersistentIdentifier]
    let names: [StoreValue?]
    let changed: [PersistentIdentifier]
    let last: Int64

    init(_ store: some RecordStore & HistoryKeeping) throws {
      let query = StoreQuery(entity: "Journey")
      rows = try store.identifiers(query)
      names = try store.fetch(query).map { $0["name"] }
      changed = try store.transactions(StoreHistoryQuery()).flatMap { $0.changes.map(\.identifier) }
      last = try store.historyBounds().last
    }
  }

  private static func save(_ name: String, in container: ModelContainer) throws {
    let context = ModelContext(container)
    context.insert(Journey(name))
    try context.save()
  }

  private static func saveElsewhere(_ name: String, in container: ModelContainer) throws {
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      try? save(name, in: container)
      done.signal()
    }
    done.wait()
  }

  private func check(
    _ store: some RecordStore & HistoryKeeping,
    _ container: ModelContainer
  ) throws {
    let before = try Found(store)
    try store.readingOneState {
      try Self.saveElsewhere("meanwhile", in: container)
      let within = try Found(store)
      #expect(within.rows == within.changed)
      try Self.saveElsewhere("later", in: container)
      #expect(try Found(store) == within)
      // A nested closure reads the same state.
      var nested: Found?
      try store.readingOneState { nested = try Found(store) }
      #expect(nested == within)
      #expect(try Found(store) == within)
    }
    let after = try Found(store)
    #expect(after.rows == after.changed)
    #expect(after.rows.count == before.rows.count + 2)
    #expect(after.names.suffix(2) == [.string("meanwhile"), .string("later")])
  }

  // An in-memory database has one connection, so a read does not block saves.
  @Test(arguments: EveryStore.allCases.filter { $0 != .sqliteInMemory }, [false, true])
  func `are read in one closure while other threads save`(kind: EveryStore, isReopened: Bool) throws
  {
    guard kind.persists || !isReopened else { return }
    let fixture = try HistoryFixture(kind)
    var container = try fixture.open()
    try Self.save("before", in: container)
    if isReopened {
      try container.close()
      container = try fixture.open()
    }
    let store = try #require(
      container.stores.first as? any RecordStore & HistoryKeeping
    )
    try check(store, container)
  }
}
