import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@testable import ModelLayer

/// Counts the contexts that a save visits, and checks that no observer misses a change.
@Suite("Contexts that a save visits", .timeLimit(.minutes(30)))
struct FeedTests {
  private static let cities = (0..<20).map { "city \($0)" }

  private let container: ModelContainer
  private let observers: [ResultsObserver<Trip, Never>]

  init() throws {
    container = try emptyContainer()
    try container.edit { context in
      for city in Self.cities {
        for days in 1...3 { context.insert(Trip("\(city) \(days)", to: city, days: days)) }
      }
    }
    observers = try Self.cities.map { [container] city in
      try ResultsObserver(
        filterBy: #Predicate { $0.destination == city },
        sortBy: [SortDescriptor(\.days), SortDescriptor(\.name)],
        modelContext: ModelContext(container, isolation: nil)
      )
    }
  }

  /// Returns the number of contexts that a save visits, and checks the results of all observers.
  private func visits(_ save: () throws -> Void) throws -> Int {
    let feed = container.core.saves
    let before = feed.visitCount
    try save()
    let count = feed.visitCount - before
    for (city, observer) in zip(Self.cities, observers) { try check(observer, city) }
    return count
  }

  private func check(_ observer: ResultsObserver<Trip, Never>, _ city: String) throws {
    let descriptor = FetchDescriptor<Trip>(
      predicate: #Predicate { $0.destination == city },
      sortBy: [SortDescriptor(\.days), SortDescriptor(\.name)]
    )
    let stored = try ModelContext(container, isolation: nil).fetch(descriptor)
    #expect(observer.results.map(\.name) == stored.map(\.name))
    #expect(observer.results.map(\.days) == stored.map(\.days))
  }

  private func trip(_ name: String, in context: ModelContext) throws -> Trip {
    let descriptor = FetchDescriptor<Trip>(predicate: #Predicate { $0.name == name })
    return try #require(try context.fetch(descriptor).first)
  }

  @Test func `a save visits only the contexts that require a value of its rows`() throws {
    let new = try visits { try container.edit { $0.insert(Trip("new", to: "city 7")) } }
    #expect(new == 1)
    #expect(try visits { try container.edit { $0.insert(Trip("elsewhere")) } } == 0)
    #expect(try visits { try container.edit(trip: "new") { $0.days = 9 } } == 1)
    #expect(try visits { try container.edit(trip: "elsewhere") { $0.days = 9 } } == 0)
    let two = try visits {
      try container.edit { context in
        for name in ["new", "city 3 1"] { try trip(name, in: context).note = "x" }
      }
    }
    #expect(two == 2)
    let gone = try visits {
      try container.edit { context in context.delete(try trip("new", in: context)) }
    }
    #expect(gone == 1)
  }

  @Test func `a row without a value visits no observer that requires one`() throws {
    let observer = try ResultsObserver<Trip, Never>(
      filterBy: #Predicate { $0.country == "Norway" },
      modelContext: ModelContext(container, isolation: nil)
    )
    #expect(try visits { try container.edit { $0.insert(Trip("new")) } } == 0)
    #expect(try visits { try container.edit(trip: "new") { $0.days = 2 } } == 0)
    #expect(try visits { try container.edit(trip: "new") { $0.country = "Norway" } } == 1)
    #expect(observer.results.map(\.name) == ["new"])
  }

  @Test func `a save that changes the required value visits all contexts`() throws {
    // A save does not report the previous value of a row.
    let moved = try visits {
      try container.edit(trip: "city 7 1") { $0.destination = "city 3" }
    }
    #expect(moved == 20)
    #expect(observers[3].results.count == 4)
    #expect(observers[7].results.count == 2)
  }

  @Test func `a value that another context may have changed is not trusted`() throws {
    let old = ModelContext(container, isolation: nil)
    let stale = try trip("city 7 1", in: old)
    try container.edit(trip: "city 7 1") { $0.destination = "city 3" }
    for observer in observers { _ = observer.results }
    // The object has "city 7", and its row "city 3".
    stale.days = 9
    #expect(try visits { try old.save() } == 20)
    #expect(observers[3].results.last?.days == 9)
    // A context that began later has seen the change.
    #expect(try visits { try container.edit(trip: "city 7 1") { $0.days = 5 } } == 1)
  }

  @Test func `a value is trusted after other saves that do not change it`() throws {
    let old = ModelContext(container, isolation: nil)
    let trip = try trip("city 7 1", in: old)
    try container.edit(trip: "city 7 2") { $0.days = 5 }
    trip.days = 9
    #expect(try visits { try old.save() } == 1)
    trip.destination = "city 3"
    #expect(try visits { try old.save() } == 20)
  }

  @Test func `values saved before the first observer are not trusted`() throws {
    let container = try emptyContainer()
    try container.edit { $0.insert(Trip("a", to: "here")) }
    let old = ModelContext(container, isolation: nil)
    let stale = try trip("a", in: old)
    try container.edit(trip: "a") { $0.destination = "there" }
    let there = "there"
    let observer = try ResultsObserver<Trip, Never>(
      filterBy: #Predicate { $0.destination == there },
      modelContext: ModelContext(container, isolation: nil)
    )
    #expect(observer.results.map(\.days) == [1])
    stale.days = 9
    try old.save()
    #expect(observer.results.map(\.days) == [9])
  }

  @Test func `bulk changes are observed, and values from before them are not trusted`() throws {
    let old = ModelContext(container, isolation: nil)
    let stale = try trip("city 7 1", in: old)
    try container.edit { context in
      let name = "city 7 1"
      try context.update(
        model: Trip.self,
        where: #Predicate { $0.name == name },
        set: .set(\.destination, to: "city 3")
      )
    }
    for (city, observer) in zip(Self.cities, observers) { try check(observer, city) }
    stale.days = 9
    #expect(try visits { try old.save() } == 20)
  }

  @Test func `an object that its own context adds to the results has the values saved by others`()
    throws
  {
    let own = try #require(observers.first).modelContext
    let joining = try trip("city 7 1", in: own)
    // The context is not notified, as it has no observer of "city 7".
    #expect(try visits { try container.edit(trip: "city 7 1") { $0.days = 9 } } == 1)
    joining.destination = "city 0"
    #expect(observers[0].results.count == 4)
    _ = try visits { try own.save() }
    #expect(observers[0].results.last === joining)
    #expect(joining.days == 9)
  }

  @Test func `observers of other entities and released observers are not visited`() throws {
    let own = ModelContext(container, isolation: nil)
    var city: [ResultsObserver<Trip, Never>] = try [
      ResultsObserver(filterBy: #Predicate { $0.destination == "city 7" }, modelContext: own)
    ]
    #expect(try visits { try container.edit { $0.insert(Invoice(1)) } } == 0)
    #expect(try visits { try container.edit(trip: "city 7 1") { $0.days = 5 } } == 2)
    #expect(city[0].results.count == 3)
    city[0].filterBy = #Predicate { $0.destination == "city 8" }
    #expect(try visits { try container.edit(trip: "city 7 1") { $0.days = 6 } } == 1)
    #expect(try visits { try container.edit(trip: "city 8 1") { $0.days = 6 } } == 2)
    city = []
    #expect(try visits { try container.edit(trip: "city 8 1") { $0.days = 7 } } == 1)
  }
}
