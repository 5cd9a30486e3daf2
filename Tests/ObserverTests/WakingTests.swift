import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@testable import ModelLayer

/// Counts the observers that are woken.
@Suite("Changes that wake observers", .timeLimit(.minutes(30)))
struct WakingTests {
  private let container: ModelContainer
  private let context: ModelContext
  private let observer: ResultsObserver<Trip, Never>

  init() throws {
    container = try emptyContainer()
    try container.edit {
      $0.insert(Trip("long", days: 9))
      $0.insert(Trip("short", days: 1))
      $0.insert(Invoice(1))
    }
    context = ModelContext(container, isolation: nil)
    observer = try ResultsObserver(fetchDescriptor: .longer(than: 3), modelContext: context)
  }

  private var counts: ResultsUpdater.Counts { context.state.resultsUpdater().counts }

  /// Returns the numbers of fetches and wakes of a change, after the results are read.
  private func cost(_ change: () throws -> Void) throws -> [Int] {
    let (fetches, wakes) = (observer.liveResults.fetchCount, counts.wakes)
    try change()
    _ = observer.results
    return [observer.liveResults.fetchCount - fetches, counts.wakes - wakes]
  }

  @Test func `a save of another entity wakes no observer and visits no context`() throws {
    let visits = container.core.saves.visitCount
    #expect(try cost { try container.edit { $0.insert(Invoice(2)) } } == [0, 0])
    #expect(container.core.saves.visitCount == visits)
    #expect(counts.rowsRead == 0)
  }

  @Test func `a change of another entity in the observed context wakes no observer`() throws {
    #expect(try cost { context.insert(Invoice(3)) } == [0, 0])
  }

  @Test func `a save of an unused property wakes no observer`() throws {
    #expect(try cost { try container.edit(trip: "short") { $0.note = "x" } } == [0, 0])
    #expect(try cost { try container.edit(trip: "long") { $0.note = "x" } } == [0, 0])
    // Only the row of the object that the context has is read.
    #expect(counts.rowsRead == 1)
    #expect(counts.evaluations == 0)
  }

  @Test func `an unsaved change of an unused property wakes no observer`() throws {
    let trip = try #require(observer.results.first)
    #expect(try cost { trip.note = "y" } == [0, 0])
    #expect(try cost { try context.save() } == [0, 0])
  }

  @Test func `a row outside the results before and after a change wakes no observer`() throws {
    #expect(try cost { try container.edit(trip: "short") { $0.days = 2 } } == [0, 0])
    #expect(try cost { try container.edit { $0.insert(Trip("new", days: 3)) } } == [0, 0])
    #expect(counts.evaluations == 2)
    #expect(try cost { context.insert(Trip("mine", days: 2)) } == [0, 0])
    #expect(
      try cost {
        try container.edit { context in
          let descriptor = FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "short" })
          for trip in try context.fetch(descriptor) { context.delete(trip) }
        }
      } == [0, 0]
    )
  }

  @Test func `a row that enters, moves in or leaves the results wakes the observer once`() throws {
    #expect(try cost { try container.edit(trip: "short") { $0.days = 4 } } == [1, 1])
    #expect(try cost { try container.edit(trip: "short") { $0.name = "a" } } == [1, 1])
    #expect(try cost { try container.edit(trip: "a") { $0.days = 0 } } == [1, 1])
  }

  @Test func `a save of the observed context does not wake the observer again`() throws {
    #expect(try cost { context.insert(Trip("mine", days: 7)) } == [1, 1])
    #expect(try cost { try context.save() } == [0, 0])
  }

  @Test func `a burst of changes costs one fetch`() throws {
    let trip = try #require(observer.results.first)
    let burst = try cost {
      for number in 0..<100 {
        trip.name = "\(number)"
        context.insert(Trip("new \(number)", days: number))
        try container.edit { $0.insert(Trip("other \(number)", days: number)) }
      }
    }
    #expect(burst == [1, 1])
    #expect(observer.results.count == 1 + 96 + 96)
  }

  @Test func `a change of an unused property of a related entity wakes no observer`() throws {
    let descriptor = FetchDescriptor<Trip>(
      predicate: #Predicate { trip in trip.stops.contains { $0.nights > 2 } }
    )
    let other = ModelContext(container, isolation: nil)
    let observer = try ResultsObserver(fetchDescriptor: descriptor, modelContext: other)
    try container.edit(trip: "long") { $0.stops = [Stop("x")] }
    _ = observer.results
    let fetches = observer.liveResults.fetchCount
    try container.edit { try $0.fetch(FetchDescriptor<Stop>()).first?.remark = "x" }
    _ = observer.results
    #expect(observer.liveResults.fetchCount == fetches)
    try container.edit { try $0.fetch(FetchDescriptor<Stop>()).first?.nights = 3 }
    #expect(observer.results.map(\.name) == ["long"])
    #expect(observer.liveResults.fetchCount == fetches + 1)
  }

  @Test func `a thousand observers add no cost to a save of another entity`() throws {
    let observers = try (0..<1_000).map { number in
      let own = number % 2 == 0 ? context : ModelContext(container, isolation: nil)
      return try ResultsObserver(fetchDescriptor: .longer(than: number), modelContext: own)
    }
    let feed = container.core.saves
    let visits = feed.visitCount
    try container.edit { $0.insert(Invoice(4)) }
    #expect(feed.visitCount == visits)
    let fetches = observers.map(\.liveResults.fetchCount)
    try container.edit(trip: "long") { $0.days = 10 }
    // One for the context that has half of the observers, one for each other context.
    #expect(feed.visitCount == visits + 501)
    for observer in observers { _ = observer.results }
    let woken = zip(observers, fetches).filter { $0.liveResults.fetchCount > $1 }
    // Those that had the trip, and the one whose results it enters.
    #expect(woken.count == 10)
    #expect(observers[9].results.count == 1)
    #expect(observers[10].results.isEmpty)
  }

  @Test func `a container without observers is not watched for saves`() throws {
    let container = try emptyContainer()
    #expect(!container.core.saves.isObserved)
    var own: ModelContext? = ModelContext(container, isolation: nil)
    var observer = try own.map {
      try ResultsObserver(fetchDescriptor: tripsByName, modelContext: $0)
    }
    weak let liveResults = observer?.liveResults
    #expect(observer?.results.isEmpty == true)
    #expect(container.core.saves.isObserved)
    observer = nil
    #expect(liveResults == nil)
    #expect(!container.core.saves.isObserved)
    own = nil
    let visits = container.core.saves.visitCount
    try container.edit { $0.insert(Trip("a")) }
    #expect(container.core.saves.visitCount == visits)
  }

  @Test func `a context without observers stops recording changes`() throws {
    let own = ModelContext(container, isolation: nil)
    var observer = try [ResultsObserver(fetchDescriptor: tripsByName, modelContext: own)]
    #expect(own.state.objects.recordsChanges)
    observer = []
    own.insert(Trip("a"))
    own.state.updater?.turn()
    #expect(own.state.updater == nil)
    #expect(!own.state.objects.recordsChanges)
    #expect(observer.isEmpty)
  }
}
