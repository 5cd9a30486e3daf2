import Foundation
import OpenSwiftData
import Testing

/// The code of the pages about observers.
@MainActor
@Suite struct `Observers in the guides` {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try SampleTrips.container()
    context = ModelContext(container)
  }

  @Test func `update results`() throws {
    // snippet.results-observer
    let trips = try ResultsObserver<Trip, Never>(
      filterBy: #Predicate { !$0.stops.isEmpty },
      sortBy: [SortDescriptor(\.name)],
      modelContext: context
    )
    print(trips.results.map(\.name))  // as they are, now and later
    trips.sortBy = [SortDescriptor(\.start)]  // fetched at once
    // snippet.end
    #expect(trips.results.map(\.name) == ["Fjords", "Alps"])
    context.insert(Trip(name: "Empty"))
    try trips.refresh()
    #expect(trips.results.count == 2)
  }

  @Test func `draw a view once until its results change`() {
    let list = TripList()
    list.draw(in: context)
    list.draw(in: context)
    #expect(list.drawings == [["Alps", "Fjords"]])
  }

  @Test func `group results into sections`() throws {
    // snippet.results-sections
    let stops = try ResultsObserver<Stop, Int>(sectionBy: \.nights, modelContext: context)
    if let sections = stops.sections {
      for section in sections { print(section.title, section.map(\.place)) }
    }
    let short = stops.sections?[sectionTitle: 1]?.first
    // snippet.end
    #expect(short?.place == "Bergen")
  }

  @Test func `send snapshots after each save`() async throws {
    let print = Printed(upTo: "Coast")
    let reading = Task { [container] in
      // snippet.snapshot-loop
      let descriptor = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])
      for try await trips in container.snapshots(of: descriptor) {
        print(trips.map(\.name))
      }
      // snippet.end
    }
    context.insert(Trip(name: "Coast"))
    try context.save()
    _ = await reading.result
    #expect(print.lines.last == #"["Alps", "Coast", "Fjords"]"#)
  }

  @Test func `send differences`() async throws {
    let print = Printed(upTo: "Fjords")
    let reading = Task { [container] in
      // snippet.difference-loop
      let descriptor = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])
      var trips: [ModelSnapshot<Trip>] = []
      for try await difference in container.differences(of: descriptor) {
        trips.apply(difference)
        print(trips.map(\.name))
      }
      // snippet.end
    }
    _ = await reading.result
    #expect(print.lines == [#"["Alps", "Fjords"]"#])
  }

  @Test func `observe the history of an author`() throws {
    let other = ModelContext(container)
    other.author = "widget"
    // snippet.history-observer
    let observer = try HistoryObserver(
      observedModels: [Trip.self],
      authors: ["widget"],
      modelContainer: container
    )
    print(observer.eventCounter)  // grows when a transaction came that counts
    let tokens = observer.historyTokens  // keep them, and begin there the next time
    // snippet.end
    #expect(!tokens.isEmpty)
  }
}

// snippet.query-host
/// A view of a library of ten lines.
final class TripList {
  private(set) var drawings: [[String]] = []
  private var isDrawn = false
  private(set) lazy var trips = QueryCore<Trip, Never>(FetchDescriptor(sortBy: [.init(\.name)])) {
    [unowned self] in isDrawn = false
  }

  /// Draws the view if it is not up to date, as the library does once a frame.
  func draw(in context: ModelContext) {
    if isDrawn { return }
    trips.update(in: context)
    drawings.append(trips.results.map(\.name))
    isDrawn = true
  }
}
// snippet.end
