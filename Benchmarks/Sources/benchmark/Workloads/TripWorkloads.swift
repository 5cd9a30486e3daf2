import Foundation
import GRDB
import OpenSwiftData

extension Workload {
  /// New trips with all that belongs to them in one save, foreign keys checked.
  static func insertTrips(_ scene: Scene) throws -> Workload {
    let records = TripRecord.first(scene.rows(1_000))
    let peers = records.enumerated().map { PeerTripDetails($1, id: $0 + 1) }
    let control = Contender.control("SQLite by hand") { watch in
      let path = scene.freshPath("trips.db")
      defer { scene.remove(path) }
      let database = try RawDatabase(path)
      try database.createTrips()
      try watch.time { try database.insert(records) }
      return Digest.of(try database.trips().map { TripRecord($0) })
    }
    let engine = Contender.engine { watch in
      let path = scene.freshPath("trips.db")
      defer { scene.remove(path) }
      let container = try ModelContainer(for: Trip.self, store: "sqlite:\(path)")
      let trips = records.map { Trip($0) }
      let context = ModelContext(container)
      try watch.time {
        for trip in trips { context.insert(trip) }
        try context.save()
      }
      let reader = ModelContext(container)
      let stored = try reader.fetch(FetchDescriptor<Trip>()).map { TripRecord($0) }
      return Digest.of(stored)
    }
    let limit = Contender.limit { watch in
      let path = scene.freshPath("trips.db")
      defer { scene.remove(path) }
      _ = try ModelContainer(for: Trip.self, store: "sqlite:\(path)")
      let kept = try KeptStore(path)
      let context = KeptContext()
      let trips = records.map { KeptTrip($0) }
      try watch.time {
        for trip in trips { trip.insert(into: context) }
        try kept.insertTrips(of: context)
      }
      let stored = try KeptTripStore(kept)
      return try withExtendedLifetime(stored) {
        Digest.of(try stored.all(prefetched: true).map { try TripRecord($0) })
      }
    }
    let peer = Contender.peer("GRDB, Codable records") { watch in
      let path = scene.freshPath("trips.db")
      defer { scene.remove(path) }
      let database = try RawDatabase(path)
      try database.createTrips()
      let queue = try PeerDatabase.queue(path)
      try watch.time {
        try queue.write { database in
          for details in peers {
            try details.trip.insert(database)
            for item in details.items { try item.insert(database) }
            try details.accommodation?.insert(database)
          }
        }
      }
      return Digest.of(try database.trips().map { TripRecord($0) })
    }
    return Workload(
      title: "insert 1,000 trips, 10,000 items and 1,000 accommodations in one save",
      unit: "row",
      count: records.count * (TripRecord.itemCount + 2),
      targets: [Target(ratio: 1.4)],
      expected: Digest.of(records),
      contenders: [control, engine, limit, peer]
    )
  }

  /// Trips, and in a loop everything that belongs to them, prefetched or as the loop touches it.
  static func readTrips(_ scene: Scene, prefetched: Bool) throws -> Workload {
    let records = TripRecord.first(scene.rows(1_000))
    let container = try ModelContainer(
      for: Trip.self,
      store: "sqlite:\(try scene.storedTrips(records))"
    )
    let path = try scene.handTrips(records)
    let raw = try RawDatabase(path)
    let peer = try PeerDatabase.queue(path)
    let control = Contender.control("SQLite by hand, 3 queries") { watch in
      let trips = try watch.time {
        let trips = try raw.trips()
        var sum = 0
        for trip in trips {
          for item in trip.items { sum &+= item.position }
          sum &+= trip.accommodation?.name.utf8.count ?? 0
        }
        return (trips, sum)
      }
      return Digest.of(trips.0.map { TripRecord($0) })
    }
    let engine = Contender.engine { watch in
      let context = ModelContext(container)
      let trips = try watch.time {
        var all = FetchDescriptor<Trip>()
        if prefetched { all.relationshipKeyPathsForPrefetching = [\.items, \.accommodation] }
        let trips = try context.fetch(all)
        var sum = 0
        for trip in trips {
          for item in trip.items { sum &+= item.position }
          sum &+= trip.accommodation?.name.utf8.count ?? 0
        }
        return (trips, sum)
      }
      return Digest.of(trips.0.map { TripRecord($0) })
    }
    let kept = try KeptStore(try scene.storedTrips(records))
    let limit = Contender.limit { watch in
      let kept = try KeptTripStore(kept)
      let trips = try watch.time {
        let trips = try kept.all(prefetched: prefetched)
        var sum = 0
        for trip in trips {
          for item in try trip.items { sum &+= item.position }
          sum &+= try trip.accommodation?.name.utf8.count ?? 0
        }
        return (trips, sum)
      }
      return try withExtendedLifetime(kept) { Digest.of(try trips.0.map { try TripRecord($0) }) }
    }
    let associations = Contender.peer(
      prefetched ? "GRDB, associations" : "GRDB, two queries a trip"
    ) { watch in
      let trips = try watch.time {
        try peer.read { try prefetched ? PeerTrip.all($0) : PeerTrip.oneByOne($0) }
      }
      return Digest.of(trips.map { TripRecord($0) })
    }
    return Workload(
      title: "read 1,000 trips with 11,000 objects of theirs, "
        + (prefetched ? "prefetched" : "faulted by a loop"),
      unit: "trip",
      count: records.count,
      targets: [Target(ratio: prefetched ? 1.3 : 1.6)],
      expected: Digest.of(records),
      contenders: [control, engine, limit, associations]
    )
  }
}

extension Scene {
  /// The path of a store with trips that the engine filled, made once.
  func storedTrips(_ records: [TripRecord]) throws -> String {
    try making("engine.trips.sqlite") { path in
      let context = ModelContext(try ModelContainer(for: Trip.self, store: "sqlite:\(path)"))
      for record in records { context.insert(Trip(record)) }
      try context.save()
    }
  }

  /// The path of a database with trips that was filled by hand, made once.
  func handTrips(_ records: [TripRecord]) throws -> String {
    try making("hand.trips.db") { path in
      let database = try RawDatabase(path)
      try database.createTrips()
      try database.insert(records)
    }
  }
}
