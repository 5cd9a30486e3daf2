import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@testable import ModelLayer

@Suite("A results observer", .timeLimit(.minutes(30)))
struct ResultsObserverTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try emptyContainer()
    context = ModelContext(container, isolation: nil)
  }

  private func names(_ observer: ResultsObserver<Trip, Never>) -> [String] {
    observer.results.map(\.name)
  }

  @Test func `has the results of a fetch at once`() throws {
    try container.edit { for name in ["b", "a"] { $0.insert(Trip(name)) } }
    let observer = try ResultsObserver(fetchDescriptor: tripsByName, modelContext: context)
    #expect(names(observer) == ["a", "b"])
    #expect(observer.sections == nil)
    #expect(observer.fetchError == nil)
  }

  @Test func `follows unsaved changes of its own context`() throws {
    let observer = try ResultsObserver(fetchDescriptor: .longer(than: 3), modelContext: context)
    let trip = Trip("a", days: 5)
    context.insert(trip)
    #expect(names(observer) == ["a"])
    trip.days = 2
    #expect(names(observer) == [])
    trip.days = 9
    #expect(names(observer) == ["a"])
    context.delete(trip)
    #expect(names(observer) == [])
  }

  @Test func `notices repeated changes of a property`() throws {
    let observer = try ResultsObserver(fetchDescriptor: tripsByName, modelContext: context)
    let (first, second) = (Trip("a"), Trip("b"))
    context.insert(first)
    context.insert(second)
    try context.save()
    for name in ["c", "a", "d"] {
      first.name = name
      #expect(names(observer) == [name, "b"].sorted())
    }
  }

  @Test(arguments: EveryStore.allCases)
  func `follows the saves of another context`(_ store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let container = try emptyContainer(store.url(in: folder))
    let context = ModelContext(container, isolation: nil)
    let observer = try ResultsObserver(fetchDescriptor: .longer(than: 3), modelContext: context)
    try container.edit {
      $0.insert(Trip("a", days: 5))
      $0.insert(Trip("b", days: 1))
    }
    #expect(names(observer) == ["a"])
    try container.edit(trip: "b") { $0.days = 8 }
    #expect(names(observer) == ["a", "b"])
    try container.edit(trip: "a") { $0.days = 0 }
    #expect(names(observer) == ["b"])
    try container.edit { try $0.delete(model: Trip.self) }
    #expect(names(observer) == [])
  }

  @Test func `refreshes its objects after saves of other contexts without a fetch`() throws {
    try container.edit { $0.insert(Trip("a", days: 5)) }
    let observer = try ResultsObserver(fetchDescriptor: .longer(than: 3), modelContext: context)
    let trip = try #require(observer.results.first)
    try container.edit(trip: "a") { $0.note = "sunny" }
    _ = observer.results
    #expect(trip.note == "sunny")
    #expect(observer.liveResults.fetchCount == 1)
  }

  @Test func `keeps unsaved changes of an object that another context saves`() throws {
    try container.edit { $0.insert(Trip("a", days: 5)) }
    let observer = try ResultsObserver(fetchDescriptor: .longer(than: 3), modelContext: context)
    let trip = try #require(observer.results.first)
    trip.note = "mine"
    try container.edit(trip: "a") { $0.days = 7 }
    #expect(names(observer) == ["a"])
    #expect(trip.note == "mine")
  }

  @Test func `follows a rollback, a reset and an erasure`() throws {
    try container.edit { $0.insert(Trip("a")) }
    let observer = try ResultsObserver(fetchDescriptor: tripsByName, modelContext: context)
    context.insert(Trip("b"))
    #expect(names(observer) == ["a", "b"])
    context.rollback()
    #expect(names(observer) == ["a"])
    let before = try #require(observer.results.first)
    context.reset()
    #expect(observer.results.first !== before)
    #expect(names(observer) == ["a"])
    try container.erase()
    #expect(names(observer) == [])
  }

  @Test func `follows bulk deletions of its context at once, of others after their save`() throws {
    try container.edit { for number in 0..<3 { $0.insert(Trip("\(number)", days: number)) } }
    let observer = try ResultsObserver(fetchDescriptor: .longer(than: 0), modelContext: context)
    #expect(names(observer) == ["1", "2"])
    let other = ModelContext(container, isolation: nil)
    try other.delete(model: Trip.self, where: #Predicate { $0.days == 1 })
    #expect(names(observer) == ["1", "2"])
    try other.save()
    #expect(names(observer) == ["2"])
    try context.delete(model: Trip.self)
    #expect(names(observer) == [])
  }

  @Test func `follows a new object that becomes an update of a stored object`() throws {
    try container.edit { $0.insert(Invoice(1, code: "x")) }
    let observer = try ResultsObserver(
      filterBy: #Predicate<Invoice> { $0.number < 10 },
      modelContext: context
    )
    #expect(observer.results.map(\.number) == [1])
    context.insert(Invoice(20, code: "x"))
    #expect(observer.results.map(\.number) == [])
    try context.save()
    #expect(observer.results.map(\.number) == [])
    try container.edit { $0.insert(Invoice(3, code: "x")) }
    #expect(observer.results.map(\.number) == [3])
  }

  @Test func `refills a window after a deletion`() throws {
    try container.edit { for name in ["a", "b", "c"] { $0.insert(Trip(name)) } }
    var first = tripsByName
    first.fetchLimit = 2
    var later = tripsByName
    later.fetchOffset = 1
    let observer = try ResultsObserver(fetchDescriptor: first, modelContext: context)
    let rest = try ResultsObserver(fetchDescriptor: later, modelContext: context)
    try container.edit { try $0.delete(model: Trip.self, where: #Predicate { $0.name == "a" }) }
    #expect(names(observer) == ["b", "c"])
    #expect(names(rest) == ["c"])
  }

  @Test func `excludes unsaved changes if the descriptor does`() throws {
    var descriptor = tripsByName
    descriptor.includePendingChanges = false
    let observer = try ResultsObserver(fetchDescriptor: descriptor, modelContext: context)
    context.insert(Trip("a"))
    #expect(names(observer) == [])
    try context.save()
    #expect(names(observer) == ["a"])
  }

  @Test func `has the values saved by others after the object's own changes are saved`() throws {
    try container.edit { $0.insert(Trip("a", days: 5)) }
    let observer = try ResultsObserver(fetchDescriptor: .longer(than: 3), modelContext: context)
    let trip = try #require(observer.results.first)
    trip.note = "mine"
    try container.edit(trip: "a") { $0.days = 1 }
    #expect(names(observer) == ["a"])
    try context.save()
    #expect(names(observer) == [])
    #expect(trip.days == 1 && trip.note == "mine")
  }

  @Test func `follows a reset if unsaved changes are excluded`() throws {
    try container.edit { $0.insert(Trip("a")) }
    var descriptor = tripsByName
    descriptor.includePendingChanges = false
    let observer = try ResultsObserver(fetchDescriptor: descriptor, modelContext: context)
    let before = try #require(observer.results.first)
    context.reset()
    #expect(observer.results.first !== before)
  }

  @Test func `removes a deleted row at once if unsaved changes are excluded`() throws {
    try container.edit { $0.insert(Trip("a")) }
    var descriptor = tripsByName
    descriptor.includePendingChanges = false
    let observer = try ResultsObserver(fetchDescriptor: descriptor, modelContext: context)
    observer.results.first?.note = "mine"
    try container.edit { try $0.delete(model: Trip.self) }
    #expect(names(observer) == [])
  }

  @Test func `follows the related objects that its filter uses`() throws {
    try container.edit { context in
      let trip = Trip("a")
      context.insert(trip)
      trip.stops = [Stop("x", nights: 1)]
    }
    let descriptor = FetchDescriptor<Trip>(
      predicate: #Predicate { trip in trip.stops.contains { $0.nights > 2 } }
    )
    let observer = try ResultsObserver(fetchDescriptor: descriptor, modelContext: context)
    #expect(names(observer) == [])
    try container.edit { try $0.fetch(FetchDescriptor<Stop>()).first?.nights = 5 }
    #expect(names(observer) == ["a"])
    let stop = try #require(try context.fetch(FetchDescriptor<Stop>()).first)
    stop.trip = nil
    #expect(names(observer) == [])
  }

  @Test func `notifies observation only if other objects are in the results`() throws {
    let observer = try ResultsObserver(fetchDescriptor: .longer(than: 3), modelContext: context)
    let count = ChangeCount()
    count.observe { _ = observer.results }
    context.insert(Trip("short", days: 1))
    _ = observer.fetchError
    #expect(count.value == 0)
    context.insert(Trip("long", days: 4))
    _ = observer.fetchError
    #expect(count.value == 1)
  }
}
