import Foundation
import Observation
import OpenSwiftData
import Testing

/// The code of the guide for programs that use Realm.
@Suite struct `Code from Realm in the guides` {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try SampleTrips.container()
    context = ModelContext(container)
  }

  @Test func `filters and sorts`() throws {
    // snippet.realm-query
    // realm.objects(Stop.self).where { $0.nights > 2 }
    let least = 2
    let long = #Predicate<Stop> { $0.nights > least }
    // .filter("place BEGINSWITH %@", "B")
    let begins = #Predicate<Stop> { $0.place.starts(with: "B") }
    // .filter("place CONTAINS[cd] %@", "flam")
    let contains = #Predicate<Stop> { $0.place.localizedStandardContains("flam") }
    // .filter("ANY trips.name == %@", name), by the inverse of a list
    let name = "Alps"
    let related = #Predicate<Stop> { $0.trip?.name == name }
    // .filter("stops.@count > %@", 2), on trips
    let many = #Predicate<Trip> { $0.stops.count > least }

    // .sorted(byKeyPath: "place")
    let byPlace = FetchDescriptor<Stop>(predicate: long, sortBy: [SortDescriptor(\.place)])
    let stops = try context.fetch(byPlace)
    // snippet.end
    #expect(stops.map(\.place) == ["Bern", "Zermatt"])
    #expect(try count(begins) == 2)
    #expect(try count(contains) == 1)
    #expect(try count(related) == 3)
    #expect(try context.fetchCount(FetchDescriptor<Trip>(predicate: many)) == 1)
  }

  private func count(_ predicate: Predicate<Stop>) throws -> Int {
    try context.fetchCount(FetchDescriptor<Stop>(predicate: predicate))
  }

  @Test func `saves changes`() throws {
    let trip = try alps(in: context)
    // snippet.realm-write
    trip.price = 1_200
    trip.stops.append(Stop("Davos"))
    try context.save()

    try context.transaction {  // saves after the closure, and discards changes if it throws
      context.delete(trip)
    }
    // snippet.end
    #expect(try ModelContext(container).fetch(FetchDescriptor<Stop>(), select: \.place).count == 2)
  }

  private func alps(in context: ModelContext) throws -> Trip {
    let name = "Alps"
    let named = FetchDescriptor<Trip>(predicate: #Predicate { $0.name == name })
    return try #require(try context.fetch(named).first)
  }

  @MainActor
  @Test func `observes an object`() throws {
    let trip = try alps(in: context)
    let print = Printed()
    // snippet.realm-observe
    withObservationTracking {
      print(trip.name, trip.price ?? 0)
    } onChange: {
      print("The name or the price changes.")
    }
    // snippet.end
    trip.price = 1
    #expect(print.lines.count == 2 && print.lines[0].hasPrefix("Alps "))
    #expect(print.lines[1] == "The name or the price changes.")
  }

  @Test func `passes identifiers and values to other threads`() async throws {
    let trip = try alps(in: context)
    // snippet.realm-threads
    let id = trip.persistentModelID  // instead of ThreadSafeReference(to: trip)
    try await container.performBackgroundTask { context in
      guard let trip = context.model(for: id) as? Trip, !trip.isDeleted else { return }
      trip.price = 1_200
      try context.save()
    }

    let values = try trip.snapshot(including: \.stops)  // instead of trip.freeze()
    Task { print(values.name, values.stops.map(\.place)) }
    // snippet.end
    #expect(values.stops.count == 3)
    #expect(try alps(in: ModelContext(container)).price == 1_200)
  }

  @Test func `copies the objects once`() throws {
    let container = try ModelContainer(for: Trip.self, store: "memory:")
    let old = [OldTrip(name: "Alps", start: .distantPast, stops: [("Bern", 3), ("Chur", 1)])]
    for _ in 1...2 { try copy(old, to: container) }
    #expect(try alps(in: ModelContext(container)).stops.map(\.place) == ["Bern", "Chur"])
  }

  private func copy(_ oldTrips: [OldTrip], to container: ModelContainer) throws {
    // snippet.realm-copy
    let context = ModelContext(container)
    guard try context.fetchCount(FetchDescriptor<Trip>()) == 0 else { return }
    for old in oldTrips {  // realm.objects(OldTrip.self)
      let trip = Trip(name: old.name, start: old.start)
      trip.stops = old.stops.map { Stop($0.place, nights: $0.nights) }
      context.insert(trip)
    }
    try context.save()
    // snippet.end
  }
}

/// The properties of a Realm object.
private struct OldTrip {
  let name: String
  let start: Date
  let stops: [(place: String, nights: Int)]
}
