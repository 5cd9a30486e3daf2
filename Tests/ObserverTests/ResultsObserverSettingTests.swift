import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@testable import ModelLayer

@Suite("Settings of results observers", .timeLimit(.minutes(30)))
struct ResultsObserverSettingTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try emptyContainer()
    context = ModelContext(container, isolation: nil)
    try container.edit { context in
      for (name, destination, country) in [
        ("a", "Rome", "Italy"), ("b", "Oslo", "Norway"), ("c", "Rome", nil),
        ("d", "Bergen", "Norway"),
      ] {
        let trip = Trip(name, to: destination)
        trip.country = country
        context.insert(trip)
      }
    }
  }

  private func lists<Title>(_ observer: ResultsObserver<Trip, Title>) -> [[String]]? {
    observer.sections?.map { $0.map(\.name) }
  }

  @Test func `sections are in the order of their titles`() throws {
    let observer = try ResultsObserver<Trip, String>(
      sortBy: [SortDescriptor(\.name, order: .reverse)],
      sectionBy: \.destination,
      modelContext: context
    )
    #expect(observer.sections?.map(\.title) == ["Bergen", "Oslo", "Rome"])
    #expect(lists(observer) == [["d"], ["b"], ["c", "a"]])
    #expect(observer.sections?[sectionTitle: "Rome"]?.count == 2)
    #expect(observer.sections?[sectionTitle: "Paris"] == nil)
    #expect(observer.results.map(\.name) == ["d", "b", "c", "a"])
  }

  @Test func `objects without a title are in the section with the empty title`() throws {
    let observer = try ResultsObserver(
      fetchDescriptor: tripsByName,
      sectionBy: \Trip.country,
      modelContext: context
    )
    #expect(observer.sections?.map(\.title) == ["", "Italy", "Norway"])
    #expect(lists(observer) == [["c"], ["a"], ["b", "d"]])
  }

  @Test func `section titles can be of any type that stores can sort`() throws {
    let observer = try ResultsObserver<Trip, Int>(sectionBy: \.days, modelContainer: container)
    #expect(observer.sections?.map(\.title) == [1])
  }

  @Test func `an object whose title changes moves to another section`() throws {
    let observer = try ResultsObserver<Trip, String>(
      sectionBy: \.destination,
      modelContext: context
    )
    try container.edit(trip: "a") { $0.destination = "Oslo" }
    #expect(lists(observer) == [["d"], ["a", "b"], ["c"]])
  }

  @Test func `a title that changes without moving an object is published`() throws {
    let observer = try ResultsObserver<Trip, String>(
      filterBy: #Predicate { $0.name == "d" },
      sectionBy: \.destination,
      modelContext: context
    )
    #expect(observer.sections?.map(\.title) == ["Bergen"])
    let count = ChangeCount()
    count.observe { _ = observer.sections }
    try container.edit(trip: "d") { $0.destination = "Bonn" }
    #expect(observer.sections?.map(\.title) == ["Bonn"])
    #expect(count.value == 1)
  }

  @Test func `a new order, filter or section key path takes effect at once`() throws {
    let observer = try ResultsObserver<Trip, String>(
      sectionBy: \.destination,
      modelContext: context
    )
    let count = ChangeCount()
    count.observe { _ = observer.sections }
    observer.sortBy = [SortDescriptor(\.name, order: .reverse)]
    #expect(count.value == 1)
    #expect(lists(observer) == [["d"], ["b"], ["c", "a"]])
    observer.sectionBy = \Trip.country
    #expect(observer.sections?.map(\.title) == ["", "Italy", "Norway"])
    observer.filterBy = #Predicate { $0.destination == "Rome" }
    #expect(lists(observer) == [["c"], ["a"]])
    observer.sectionBy = nil
    #expect(observer.sections == nil)
    #expect(observer.results.map(\.name) == ["c", "a"])
    #expect(observer.fetchError == nil)
  }

  @Test func `an observer follows changes with its new filter`() throws {
    let observer = try ResultsObserver(fetchDescriptor: tripsByName, modelContext: context)
    observer.filterBy = #Predicate { $0.days > 3 }
    #expect(observer.results.isEmpty)
    try container.edit(trip: "a") { $0.days = 4 }
    #expect(observer.results.map(\.name) == ["a"])
  }

  @Test func `a section key path of another type is refused and changes nothing`() throws {
    let observer = try ResultsObserver<Trip, String>(
      sectionBy: \.destination,
      modelContext: context
    )
    observer.sectionBy = \Trip.days
    let error = try #require(observer.fetchError as? SwiftDataError)
    #expect(error == .unsupportedKeyPath)
    #expect(observer.sections?.map(\.title) == ["Bergen", "Oslo", "Rome"])
    observer.sectionBy = \Trip.country
    #expect(observer.fetchError == nil)
  }

  @Test func `a failed fetch keeps the results, and a later fetch succeeds`() throws {
    let script = RecordingScript()
    let container = try ModelContainer(
      for: Schema([Trip.self, Stop.self, Invoice.self]),
      configurations: [RecordingStoreConfiguration(script: script)]
    )
    let context = ModelContext(container, isolation: nil)
    // With a limit, a change requires a fetch.
    var first = tripsByName
    first.fetchLimit = 10
    let observer = try ResultsObserver(fetchDescriptor: first, modelContext: context)
    script.fail(with: DataStoreError(.io, "no disk"))
    context.insert(Trip("a"))
    #expect(observer.results.isEmpty)
    #expect((observer.fetchError as? DataStoreError) == .io)
    try observer.refresh()
    #expect(observer.fetchError == nil)
    #expect(observer.results.map(\.name) == ["a"])
  }

  @Test func `a failed first fetch throws from the initializer`() throws {
    #expect(throws: SwiftDataError.self) {
      _ = try ResultsObserver<Trip, String>(sectionBy: \.description, modelContext: context)
    }
  }
}

extension Trip {
  fileprivate var description: String { "\(name) to \(destination)" }
}
