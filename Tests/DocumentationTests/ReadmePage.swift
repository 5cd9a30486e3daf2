import Foundation
// snippet.readme-import
import OpenSwiftData
// snippet.end
import Testing

@Suite struct `The code of README.md` {
  @Test func `finds the trip`() throws {
    let found = try Readme.use(ModelContainer(for: Readme.Trip.self, store: "memory:"))
    #expect(found.map(\.name) == ["Fjords"])
  }

  @Test func `leaves the trip as it is when the program runs again`() throws {
    let container = try ModelContainer(for: Readme.Trip.self, store: "memory:")
    _ = try Readme.use(container)
    #expect(try Readme.use(container).map { $0.stops.map(\.place) } == [["Bergen", "Flåm"]])
  }
}

enum Readme {
  // snippet.readme-models
  @Model
  final class Trip {
    @Attribute(.unique) var name: String
    var start: Date = .now
    @Relationship(deleteRule: .cascade) var stops: [Stop] = []

    init(_ name: String) { self.name = name }
  }

  @Model
  final class Stop {
    var place: String

    init(_ place: String) { self.place = place }
  }
  // snippet.end

  static func open() throws -> ModelContainer {
    // snippet.readme-open
    let container = try ModelContainer(for: Trip.self, store: "sqlite:trips.db")
    // snippet.end
    return container
  }

  static func use(_ container: ModelContainer) throws -> [Trip] {
    // snippet.readme-use
    let context = ModelContext(container)
    if try context.fetchCount(FetchDescriptor<Trip>()) == 0 {
      let trip = Trip("Fjords")
      trip.stops = [Stop("Bergen"), Stop("Flåm")]
      context.insert(trip)
      try context.save()
    }

    let text = "fjord"
    let found = try context.fetch(
      FetchDescriptor<Trip>(
        predicate: #Predicate { $0.name.localizedStandardContains(text) && !$0.stops.isEmpty },
        sortBy: [SortDescriptor(\.start, order: .reverse)]
      )
    )
    print(found.map(\.name))
    // snippet.end
    return found
  }
}
