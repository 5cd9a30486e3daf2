import Foundation
import OpenSwiftData
import Testing

/// The code of the pages about several contexts, tasks and copies of objects.
@Suite struct `Several contexts in the guides` {
  @Test func `pass snapshots between actors`() async throws {
    let names = try await Self.longNames(SampleTrips.container())
    #expect(names == ["Bern", "Zermatt"])
  }

  static func longNames(_ container: ModelContainer) async throws -> [String] {
    // snippet.use-model-actor
    let worker = TripWorker(modelContainer: container)
    let identifier = try await worker.add("Coast", to: ["Bodø", "Å"])
    let trips: [ModelSnapshot<Trip>] = try await worker.trips()
    // snippet.end
    #expect(trips.contains { $0.persistentModelID == identifier })
    // snippet.read-snapshot
    if let trip = trips.first, let stop = trip.stops.first {
      print(trip.name, trip.start, stop.place)  // values, as the properties are typed
      print(stop.trip?.isReference ?? true)  // true: an object that leads back says whose it is
    }
    // snippet.end
    return trips.flatMap { $0.stops }.filter { $0.nights > 2 }.map(\.place)
  }

  @Test func `pass snapshots as JSON, and upsert them`() throws {
    let container = try SampleTrips.container()
    let trip = try #require(try ModelContext(container).fetch(FetchDescriptor<Trip>()).first)
    let other = try ModelContainer(for: Trip.self, store: "memory:")
    let context = ModelContext(other)
    // snippet.snapshot-json
    let copy = try trip.snapshot(including: \.stops)
    let body = try JSONEncoder().encode(copy)

    let received = try JSONDecoder().decode(ModelSnapshot<Trip>.self, from: body)
    try context.upsert(received)
    try context.save()
    // snippet.end
    let found = try ModelContext(other).fetch(FetchDescriptor<Trip>())
    #expect(found.first?.stops.map(\.place) == ["Bergen", "Flåm"])
  }

  @Test func `resolve a conflict with a merge policy`() throws {
    let container = try SampleTrips.container()
    let name = "Fjords"
    let fjords = FetchDescriptor<Trip>(predicate: #Predicate { $0.name == name })
    let context = ModelContext(container)
    Self.addUp(context)
    let mine = try #require(try context.fetch(fjords).first)
    let others = ModelContext(container)
    try #require(try others.fetch(fjords).first).price = 1_000
    try others.save()
    mine.price = 950
    try context.save()
    #expect(mine.price == 1_050)
  }

  static func addUp(_ context: ModelContext) {
    // snippet.merge-policy
    context.mergePolicy = .resolve { conflict in
      guard let price = conflict[\Trip.price], let base = price.base ?? nil,
        let mine = price.mine ?? nil, let theirs = price.theirs ?? nil
      else { return .error }
      return try .mine.setting(\Trip.price, to: theirs + mine - base)
    }
    // snippet.end
  }

  @Test func `report a conflict as an error`() throws {
    let container = try SampleTrips.container()
    let context = ModelContext(container)
    let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
    let others = ModelContext(container)
    try #require(try others.fetch(FetchDescriptor<Trip>()).first).price = 1
    try others.save()
    trip.price = 2
    let lines = try Self.saved(context)
    #expect(lines.count == 1 && lines[0].hasPrefix("Trip "))
  }

  static func saved(_ context: ModelContext) throws -> [String] {
    let print = Printed()
    // snippet.merge-error
    context.mergePolicy = .error
    do {
      try context.save()
    } catch let error as DataStoreError where error == .conflict {
      for conflict in error.mergeConflicts {
        print(conflict.entity, conflict.kind, conflict.properties.filter(\.isChangedThere))
      }
      try context.refreshAll(mergeChanges: false)
    }
    // snippet.end
    return print.lines
  }

  @MainActor
  @Test func `save automatically on the main actor`() throws {
    let container = try SampleTrips.container()
    // snippet.main-context
    let context = container.mainContext
    context.onAutosaveFailure = { error in print("not saved yet: \(error)") }
    context.insert(Trip(name: "Coast"))
    // snippet.end
    #expect(context.autosaveEnabled)
    try context.save()
  }
}

// snippet.model-actor
@ModelActor
actor TripWorker {
  func add(_ name: String, to places: [String]) throws -> PersistentIdentifier {
    let trip = Trip(name: name)
    trip.stops = places.map { Stop($0) }
    modelContext.insert(trip)
    try modelContext.save()
    return trip.persistentModelID
  }

  func trips() throws -> [ModelSnapshot<Trip>] {
    let byStart = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.start)])
    return try modelContext.fetch(byStart).map { try $0.snapshot(including: \.stops) }
  }
}
// snippet.end
