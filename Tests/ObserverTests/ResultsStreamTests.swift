import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@testable import ModelLayer

@Suite("Streams of results", .timeLimit(.minutes(30)))
struct ResultsStreamTests {
  private let container: ModelContainer

  init() throws {
    container = try emptyContainer()
  }

  @Test(arguments: EveryStore.allCases)
  func `a snapshot is delivered at once and after each change of the results`(
    _ store: EveryStore
  ) async throws {
    let folder = try TemporaryFolder()
    let container = try emptyContainer(store.url(in: folder))
    var results = container.snapshots(of: .longer(than: 3)).makeAsyncIterator()
    #expect(try await results.next()?.map(\.name) == [])
    try container.edit { $0.insert(Trip("a", days: 4)) }
    #expect(try await results.next()?.map(\.name) == ["a"])
    try container.edit(trip: "a") { $0.note = "x" }
    #expect(try await results.next()?.map(\.note) == ["x"])
    try container.edit { $0.insert(Trip("b", days: 1)) }
    try container.edit { try $0.delete(model: Trip.self) }
    #expect(try await results.next()?.map(\.name) == [])
  }

  @Test func `a slow consumer receives the latest state, not a queue`() async throws {
    var results = container.snapshots(of: tripsByName).makeAsyncIterator()
    #expect(try await results.next()?.count == 0)
    for number in 0..<50 { try container.edit { $0.insert(Trip("\(number)")) } }
    #expect(try await results.next()?.count == 50)
    try container.edit { $0.insert(Trip("last")) }
    #expect(try await results.next()?.count == 51)
  }

  @Test func `a save that does not change the results delivers nothing`() async throws {
    var results = container.snapshots(of: .longer(than: 3)).makeAsyncIterator()
    _ = try await results.next()
    try container.edit { $0.insert(Trip("short", days: 1)) }
    try container.edit { $0.insert(Invoice(1)) }
    try container.edit { $0.insert(Trip("gone", days: 8)) }
    try container.edit { try $0.delete(model: Trip.self, where: #Predicate { $0.name == "gone" }) }
    try container.edit { $0.insert(Trip("long", days: 8)) }
    #expect(try await results.next()?.map(\.name) == ["long"])
  }

  @Test func `a change of related objects delivers a snapshot`() async throws {
    try container.edit { $0.insert(Trip("a")) }
    var results = container.snapshots(of: tripsByName).makeAsyncIterator()
    #expect(try await results.next()?.first?.stops.count == 0)
    try container.edit { context in
      let stop = Stop("x")
      context.insert(stop)
      stop.trip = try context.fetch(tripsByName).first
    }
    #expect(try await results.next()?.first?.stops.count == 1)
  }

  @Test func `differences produce the list when they are applied in order`() async throws {
    var differences = container.differences(of: tripsByName).makeAsyncIterator()
    var list: [ModelSnapshot<Trip>] = []
    list.apply(try #require(try await differences.next()))
    #expect(list.isEmpty)
    try container.edit { for name in ["b", "c", "d"] { $0.insert(Trip(name)) } }
    let insertions = try #require(try await differences.next())
    #expect(insertions.changes.count == 3)
    list.apply(insertions)
    try container.edit(trip: "d") { $0.name = "a" }
    let move = try #require(try await differences.next())
    #expect(move.changes.count == 2)
    list.apply(move)
    try container.edit(trip: "c") { $0.note = "x" }
    try container.edit { try $0.delete(model: Trip.self, where: #Predicate { $0.name == "b" }) }
    list.apply(try #require(try await differences.next()))
    #expect(list.map(\.name) == ["a", "c"])
    #expect(list.map(\.note) == ["", "x"])
  }

  @Test func `concurrent saves of many tasks are all delivered`() async throws {
    var results = container.snapshots(of: tripsByName).makeAsyncIterator()
    var count = try await results.next()?.count ?? 0
    async let saves: Void = withThrowingTaskGroup(of: Void.self) { [container] group in
      for task in 0..<4 {
        group.addTask {
          for number in 0..<25 { try container.edit { $0.insert(Trip("\(task) \(number)")) } }
        }
      }
      try await group.waitForAll()
    }
    while count < 100 { count = try await results.next()?.count ?? 0 }
    try await saves
    #expect(count == 100)
  }

  @Test func `canceling the task ends the loop and the observation`() async throws {
    let feed = container.core.saves
    let began = AsyncStream<Void>.makeStream()
    let task = Task { [container] in
      for try await _ in container.snapshots(of: tripsByName) { began.continuation.yield() }
    }
    for await _ in began.stream { break }
    #expect(feed.isObserved)
    task.cancel()
    try await task.value
    // The context of the loop ends with the loop.
    #expect(!feed.isObserved)
  }

  @MainActor
  @Test func `results of a context are its objects, including unsaved ones`() async throws {
    let context = ModelContext(container)
    var results = context.results(of: tripsByName).makeAsyncIterator()
    #expect(try await results.next(isolation: #isolation)?.count == 0)
    let trip = Trip("a")
    context.insert(trip)
    let first = try #require(try await results.next(isolation: #isolation)?.first)
    #expect(first === trip)
    try container.edit { $0.insert(Trip("b")) }
    #expect(try await results.next(isolation: #isolation)?.map(\.name) == ["a", "b"])
  }

  @MainActor
  @Test func `an observer on the main actor is updated at its next turn`() async throws {
    let context = ModelContext(container)
    let observer = try ResultsObserver(fetchDescriptor: tripsByName, modelContext: context)
    context.insert(Trip("a"))
    #expect(observer.results.isEmpty)
    try await untilChange(of: { _ = observer.results }, after: {})
    #expect(observer.results.map(\.name) == ["a"])
    try await untilChange(of: { _ = observer.results }) {
      for name in ["b", "c"] { try container.edit { $0.insert(Trip(name)) } }
    }
    #expect(observer.results.map(\.name) == ["a", "b", "c"])
    #expect(observer.liveResults.fetchCount == 3)
  }

  @Test func `an observer on another actor is updated by a save on any thread`() async throws {
    let watcher = try TripWatcher(container)
    try await watcher.start()
    var names = watcher.names.makeAsyncIterator()
    await Task.detached { [container] in
      try? container.edit { $0.insert(Trip("far")) }
    }.value
    #expect(await names.next() == ["far"])
  }
}

/// An actor with an observer of its own.
private actor TripWatcher {
  let names: AsyncStream<[String]>
  private let continuation: AsyncStream<[String]>.Continuation
  private let container: ModelContainer
  private var observer: ResultsObserver<Trip, Never>?

  init(_ container: ModelContainer) throws {
    self.container = container
    (names, continuation) = AsyncStream.makeStream()
  }

  func start() throws {
    let made = try ResultsObserver<Trip, Never>(modelContainer: container)
    observer = made
    watch()
  }

  private func watch() {
    guard let observer else { return }
    withObservationTracking {
      _ = observer.results
    } onChange: {
      Task { await self.changed() }
    }
  }

  private func changed() {
    continuation.yield(observer?.results.map(\.name) ?? [])
    watch()
  }
}
