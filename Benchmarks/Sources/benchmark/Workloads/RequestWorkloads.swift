import Foundation
import OpenSwiftData

extension Workload {
  /// What a server does for each request: a context, one object with all that belongs to it as
  /// values, and the end of the context.
  static func requests(_ scene: Scene) throws -> Workload {
    let records = TripRecord.first(scene.rows(1_000))
    let keys = (0..<records.count).map { ($0 &* 7_919) % records.count }
    let path = try scene.storedTrips(records)
    let container = try ModelContainer(for: Trip.self, store: "sqlite:\(path)")
    // In the order in which the records were inserted.
    let identifiers = try ModelContext(container).fetchIdentifiers(
      FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.start)])
    )
    let control = Contender.control("prepared statements") { watch in
      let database = try RawDatabase(scene.handTrips(records))
      let reader = try RawTripReader(database)
      var found: [PlainTrip] = []
      found.reserveCapacity(keys.count)
      try watch.time { for key in keys { found.append(try reader.trip(key + 1)) } }
      return Digest.of(found.map { TripRecord($0) })
    }
    let engine = Contender.engine { watch in
      var found: [ModelSnapshot<Trip>] = []
      found.reserveCapacity(keys.count)
      try watch.time {
        for key in keys {
          let context = ModelContext(container)
          let trip = try context.fetchSnapshot(
            of: Trip.self,
            for: identifiers[key],
            including: \.items,
            \Trip.accommodation
          )
          if let trip { found.append(trip) }
        }
      }
      return Digest.of(found.map { TripRecord($0) })
    }
    return Workload(
      title: "one trip by its identifier with ten items and an accommodation, as values",
      unit: "request",
      count: keys.count,
      targets: [Target(ratio: 3)],
      expected: Digest.of(keys.map { records[$0] }),
      contenders: [control, engine]
    )
  }

  /// Contexts made and dropped, alone and beside many others.
  static func contexts(_ scene: Scene) throws -> Workload {
    let container = try ModelContainer(for: Trip.self, store: "memory:")
    let count = scene.rows(100_000)
    @Sendable func run(beside others: Int, _ watch: Stopwatch) -> UInt64 {
      let alive = (0..<others).map { _ in ModelContext(container) }
      watch.time {
        for _ in 0..<count { _ = ModelContext(container) }
      }
      return withExtendedLifetime(alive) { UInt64(count) }
    }
    return Workload(
      title: "make and drop a context beside 10,000 that are alive",
      unit: "context",
      count: count,
      targets: [Target(ratio: 1.3)],
      expected: UInt64(count),
      contenders: [
        .control("the same beside none") { run(beside: 0, $0) },
        .engine { run(beside: 10_000, $0) },
      ]
    )
  }
}

extension TripRecord {
  fileprivate init(_ trip: ModelSnapshot<Trip>) {
    self.init(
      name: trip.name,
      destination: trip.destination,
      start: trip.start,
      end: trip.end,
      items: trip.items.map { Item(title: $0.title, position: $0.position) },
      accommodation: Accommodation(
        name: trip.accommodation?.name ?? "",
        address: trip.accommodation?.address ?? ""
      )
    )
  }
}
