import Foundation
import OpenSwiftData
import Testing

/// The code of the guide for programs that use Fluent.
@Suite struct `Code from Fluent in the guides` {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try SampleTrips.container()
    context = ModelContext(container)
  }

  @Test func `filters by a related object`() throws {
    // snippet.fluent-query
    let (name, least) = ("Alps", 2)
    let stops = try context.fetch(
      FetchDescriptor<Stop>(
        predicate: #Predicate { $0.trip?.name == name && $0.nights >= least },
        sortBy: [SortDescriptor(\.place)]
      )
    )
    // snippet.end
    #expect(stops.map(\.place) == ["Bern", "Zermatt"])
  }

  @Test func `reads related objects`() throws {
    let print = Printed()
    try context.withFaultLimit(0) {
      // snippet.fluent-related
      var descriptor = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])
      descriptor.relationshipKeyPathsForPrefetching = [\.stops]
      for trip in try context.fetch(descriptor) {
        print(trip.name, trip.stops.map(\.place))
      }
      // snippet.end
    }
    #expect(
      print.lines == [#"Alps ["Bern", "Chur", "Zermatt"]"#, #"Fjords ["Bergen", "Flåm"]"#]
    )
  }

  @Test func `has one object for each row`() throws {
    // snippet.fluent-identity
    let byName = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])
    let first = try context.fetch(byName).first
    let second = try context.fetch(byName).first
    print(first === second)  // true
    first?.price = 1_200  // stored by the next save of the context
    // snippet.end
    #expect(first != nil && first === second)
    #expect(context.hasChanges)
    try context.save()
    #expect(try ModelContext(container).fetch(byName).first?.price == 1_200)
  }

  @Test func `stores all changes or none`() throws {
    let alps = try #require(
      try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])).first
    )
    // snippet.fluent-transaction
    try context.transaction {
      alps.price = 1_200
      let coast = Trip(name: "Coast")
      coast.stops = [Stop("Bodø"), Stop("Å")]
      context.insert(coast)
    }
    // snippet.end
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Stop>()) == 7)
    #expect(throws: CancellationError.self) {
      try context.transaction {
        alps.price = 0
        throw CancellationError()
      }
    }
    #expect(alps.price == 1_200)
  }

  @Test func `returns JSON from a handler`() throws {
    let trips = TripService(container: container)
    let data = try #require(try trips.show("Alps"))
    let trip = try JSONDecoder().decode(ModelSnapshot<Trip>.self, from: data)
    #expect(trip.stops.map(\.place) == ["Bern", "Chur", "Zermatt"])
    #expect(try trips.show("Andes") == nil)
  }

  // snippet.fluent-test
  @Test func `changes the price and nothing else`() async throws {
    let container = try ModelContainer(for: Trip.self, store: "memory:")
    let context = ModelContext(container)
    context.insert(Trip(name: "Alps", start: .distantPast))
    try context.save()

    let trips = TripService(container: container)
    #expect(try await trips.change("Alps", Data(#"{"price": 900}"#.utf8)))

    let alps = try #require(try ModelContext(container).fetch(FetchDescriptor<Trip>()).first)
    #expect(alps.price == 900)
    #expect(alps.start == .distantPast)
  }
  // snippet.end

  @Test func `changes nothing of a trip that does not exist`() async throws {
    let trips = TripService(container: container)
    #expect(try await !trips.change("Andes", Data("{}".utf8)))
  }

  @Test func `opens the store that the environment names`() throws {
    let environment = ["DATASTORE_URL": "memory:"]
    // snippet.fluent-open
    let store = environment["DATASTORE_URL"] ?? "sqlite:trips.db"
    let container = try ModelContainer(for: Trip.self, store: store)
    // snippet.end
    #expect(container.stores.count == 1)
  }
}

// snippet.fluent-service
struct TripService: Sendable {
  let container: ModelContainer

  /// Returns the response to `GET /trips/:name`, or `nil` if there is no such trip.
  func show(_ name: String) throws -> Data? {
    let named = FetchDescriptor<Trip>(predicate: #Predicate { $0.name == name })
    let trips = try ModelContext(container).fetchSnapshots(named, including: \.stops)
    return try trips.first.map { try JSONEncoder().encode($0) }
  }

  /// Executes `PATCH /trips/:name`, and returns whether there is such a trip.
  func change(_ name: String, _ body: Data) async throws -> Bool {
    let decoder = JSONDecoder()
    decoder.userInfo[.partialSnapshots] = true
    let changes = try decoder.decode(ModelSnapshot<Trip>.self, from: body)
    return try await container.performBackgroundTask { context in
      let named = FetchDescriptor<Trip>(predicate: #Predicate { $0.name == name })
      guard let trip = try context.fetch(named).first else { return false }
      try context.apply(changes, to: trip)
      try context.save()
      return true
    }
  }
}
// snippet.end
