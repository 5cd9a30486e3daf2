import ComposableStores
import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@testable import ModelLayer

@Model final class Shelf {
  var name: String
  var parent: Shelf?
  @Relationship(deleteRule: .cascade, inverse: \Shelf.parent) var parts: [Shelf] = []

  init(_ name: String, parts: [Shelf] = []) {
    self.name = name
    self.parts = parts
  }
}

/// Counts the requests of observers to stores.
@Suite("Store requests of observers", .timeLimit(.minutes(30)))
struct ObserverRequestTests {
  private static let cities = (0..<20).map { "city \($0)" }

  private let counter = StoreCounter()
  private let folder: TemporaryFolder
  private let container: ModelContainer

  init() throws {
    folder = try TemporaryFolder()
    let store = SQLiteStoreConfiguration(url: folder.file("trips.db"))
    container = try ModelContainer(
      for: Trip.self,
      Stop.self,
      Invoice.self,
      configurations: store.counted(by: counter)
    )
    try container.edit { context in
      for city in Self.cities {
        for days in 1...3 { context.insert(Trip("\(city) \(days)", to: city, days: days)) }
      }
    }
  }

  /// Observers of one city each, in one context or in one context each.
  private func observers(in context: ModelContext?) throws -> [ResultsObserver<Trip, Never>] {
    try Self.cities.map { city in
      try ResultsObserver(
        filterBy: #Predicate { $0.destination == city },
        sortBy: [SortDescriptor(\.days), SortDescriptor(\.name)],
        modelContext: context ?? ModelContext(container, isolation: nil)
      )
    }
  }

  /// Returns the number of requests to read all results, and checks that a fetch finds the same.
  private func requests(of observers: [ResultsObserver<Trip, Never>]) throws -> Int {
    let count = counter.count { for observer in observers { _ = observer.results } }
    for (city, observer) in zip(Self.cities, observers) {
      let descriptor = FetchDescriptor<Trip>(
        predicate: #Predicate { $0.destination == city },
        sortBy: [SortDescriptor(\.days), SortDescriptor(\.name)]
      )
      let stored = try ModelContext(container, isolation: nil).fetch(descriptor).map(\.name)
      #expect(observer.results.map(\.name) == stored)
    }
    return count.requests
  }

  @Test func `a save that concerns no observer causes no request`() throws {
    let observers = try observers(in: nil)
    try container.edit { $0.insert(Trip("elsewhere", to: "Oslo")) }
    #expect(try requests(of: observers) == 0)
    try container.edit(trip: "elsewhere") { $0.destination = "Rome" }
    #expect(try requests(of: observers) == 0)
    try container.edit(trip: "elsewhere") { $0.days = 9 }
    #expect(try requests(of: observers) == 0)
  }

  @Test func `a save that concerns one of many contexts causes requests of that context only`()
    throws
  {
    let observers = try observers(in: nil)
    try container.edit { $0.insert(Trip("new", to: "city 7", days: 2)) }
    // The row is read to find its index in the results.
    #expect(try requests(of: observers) == 1)
    try container.edit(trip: "new") { $0.days = 0 }
    #expect(try requests(of: observers) == 1)
    try container.edit(trip: "new") { $0.destination = "city 3" }
    // One observer loses the object, and another one gains it.
    #expect(try requests(of: observers) == 2)
    try container.edit(trip: "new") { trip in trip.modelContext?.delete(trip) }
    for observer in observers { _ = observer.results }
    #expect(try requests(of: observers) == 0)
    #expect(observers[3].results.count == 3)
  }

  @Test func `a row saved repeatedly before the results are read is in the right results`() throws {
    let observers = try observers(in: nil)
    try container.edit { $0.insert(Trip("new", to: "city 7")) }
    try container.edit(trip: "new") { $0.destination = "city 8" }
    try container.edit(trip: "new") { $0.destination = "city 9" }
    // The values of a row that was saved repeatedly are unknown, so each context reads it once.
    #expect(try requests(of: observers) == Self.cities.count)
    #expect(observers[9].results.count == 4)
    #expect(observers[7].results.count == 3)
  }

  @Test func `the value of a row that was saved twice is unknown`() {
    // Saves may be reported in another order than they were stored.
    let scope = PersistentIdentifier.Scope(storeIdentifier: "store", entityName: "Trip")
    let row = PersistentIdentifier(scope: scope, key: .integer(7))
    func rows(_ value: Int64) -> SavedChanges.Rows {
      var rows = SavedChanges.Rows()
      rows.update(row, 1, [StoreUpdate.Change(0, .integer(value))])
      return rows
    }
    var known = rows(1)
    #expect(known.value(of: row, at: 0) == .integer(1))
    #expect(known.value(of: row, at: 1) == nil)
    known.add(rows(2))
    #expect(known.value(of: row, at: 0) == nil)
    known.add(rows(3))
    #expect(known.value(of: row, at: 0) == nil)
    #expect(known.updated == [row: 1])
  }

  @Test func `saves of the observed context cause no requests`() throws {
    let context = ModelContext(container, isolation: nil)
    let observers = try observers(in: context)
    let trip = try #require(observers[5].results.first)
    trip.days = 4
    try context.save()
    #expect(try requests(of: observers) == 0)
    #expect(observers[5].results.last === trip)
    trip.destination = "city 6"
    try context.save()
    #expect(try requests(of: observers) == 0)
    context.insert(Trip("new", to: "city 6", days: 2))
    try context.save()
    #expect(try requests(of: observers) == 0)
    context.delete(trip)
    try context.save()
    #expect(try requests(of: observers) == 0)
    #expect(observers.map(\.results.count).reduce(0, +) == 60)
  }

  @Test func `a row beyond the fetch limit can enter the results`() throws {
    let city = "city 5"
    var longest = FetchDescriptor<Trip>(
      predicate: #Predicate { $0.destination == city },
      sortBy: [SortDescriptor(\.days, order: .reverse)]
    )
    longest.fetchLimit = 2
    let context = ModelContext(container, isolation: nil)
    let observer = try ResultsObserver(fetchDescriptor: longest, modelContext: context)
    #expect(observer.results.map(\.days) == [3, 2])
    try container.edit(trip: "city 5 1") { $0.days = 9 }
    #expect(observer.results.map(\.days) == [9, 3])
  }

  @Test func `objects deleted by a cascade leave the results`() throws {
    let shelves = try ModelContainer(for: Shelf.self, store: "memory:")
    let context = ModelContext(shelves, isolation: nil)
    let root = Shelf("root", parts: [Shelf("a"), Shelf("b")])
    context.insert(root)
    try context.save()
    let observer = try ResultsObserver<Shelf, Never>(
      sortBy: [SortDescriptor(\.name)],
      modelContext: context
    )
    #expect(observer.results.map(\.name) == ["a", "b", "root"])
    context.delete(root)
    #expect(observer.results.isEmpty)
  }

  @Test func `a change is evaluated for one of a thousand observers`() throws {
    let context = ModelContext(container, isolation: nil)
    let observers = try (0..<1_000).map { number in
      let city = "city \(number)"
      return try ResultsObserver<Trip, Never>(
        filterBy: #Predicate { $0.destination == city },
        modelContext: context
      )
    }
    let keeper = context.state.keeping()
    let before = keeper.counts
    context.insert(Trip("new", to: "city 999"))
    #expect(observers[999].results.map(\.name) == ["new"])
    #expect(keeper.counts.judgements == before.judgements + 1)
    #expect(keeper.counts.wakes == before.wakes + 1)
  }
}
