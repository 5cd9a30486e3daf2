import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@testable import ModelLayer

@Suite("Observers and the histories of stores", .timeLimit(.minutes(30)))
struct HistoryOnStoresTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func save(
    _ model: any PersistentModel,
    by author: String?,
    in container: ModelContainer
  )
    throws
  {
    let context = ModelContext(container, isolation: nil)
    context.author = author
    context.insert(model)
    try context.save()
  }

  @Test(arguments: EveryStore.allCases)
  func `transactions are counted and streamed by model and author`(_ store: EveryStore) async throws
  {
    let container = try emptyContainer(store.url(in: folder))
    try save(Trip("before"), by: "widget", in: container)
    let observer = try HistoryObserver(
      observedModels: [Trip.self],
      authors: ["widget"],
      modelContainer: container
    )
    var transactions = container.transactions(
      after: observer.historyTokens,
      of: Trip.self,
      by: ["widget"]
    ).makeAsyncIterator()
    try save(Trip("mine"), by: "me", in: container)
    try save(Invoice(1), by: "widget", in: container)
    #expect(observer.eventCounter == 0)
    try save(Trip("theirs"), by: "widget", in: container)
    #expect(observer.eventCounter == 1)
    let found = try #require(try await transactions.next())
    #expect(found.map(\.author) == ["widget"])
    #expect(found.first?.changes.first?.changedPersistentIdentifier.entityName == "Trip")
    #expect(observer.fetchError == nil)
  }

  @Test func `a save of another process wakes only the observers that it concerns`() async throws {
    let url = EveryStore.sqlite.url(in: folder)
    let container = try emptyContainer(url)
    try container.edit {
      $0.insert(Trip("long", days: 9))
      $0.insert(Trip("short", days: 1))
    }
    let context = ModelContext(container, isolation: nil)
    let observer = try ResultsObserver(fetchDescriptor: .longer(than: 3), modelContext: context)
    let feed = container.core.saves
    let fetches = observer.liveResults.fetchCount
    await #expect(processExitsWith: .success) { [url = url as String] in
      let theirs = try emptyContainer(url)
      try theirs.edit { $0.insert(Invoice(1)) }
      try theirs.edit(trip: "long") { $0.note = "rain" }
      try theirs.edit(trip: "short") { $0.days = 2 }
    }
    // On its queue, so that a save that the watcher has found is reported, too.
    feed.queue.sync { feed.look() }
    #expect(observer.results.first?.note == "rain")
    #expect(observer.liveResults.fetchCount == fetches)
    await #expect(processExitsWith: .success) { [url = url as String] in
      try emptyContainer(url).edit(trip: "short") { $0.days = 4 }
    }
    feed.queue.sync { feed.look() }
    #expect(observer.results.map(\.name) == ["long", "short"])
    #expect(observer.liveResults.fetchCount == fetches + 1)
  }

  @Test func `objects that another process deletes leave the results`() async throws {
    let url = EveryStore.sqlite.url(in: folder)
    let container = try emptyContainer(url)
    try container.edit { $0.insert(Trip("long", days: 9)) }
    let observer = try ResultsObserver(
      fetchDescriptor: .longer(than: 3),
      modelContext: ModelContext(container, isolation: nil)
    )
    let trip = try #require(observer.results.first)
    await #expect(processExitsWith: .success) { [url = url as String] in
      try emptyContainer(url).edit { context in
        for trip in try context.fetch(FetchDescriptor<Trip>()) { context.delete(trip) }
      }
    }
    let feed = container.core.saves
    feed.queue.sync { feed.look() }
    #expect(observer.results.isEmpty)
    #expect(trip.isDeleted)
  }
}
