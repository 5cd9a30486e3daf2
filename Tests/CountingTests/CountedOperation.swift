import Foundation
import OpenSwiftData

/// Something that programs do, with what has to be there before it.
struct CountedOperation: Sendable {
  let name: String
  /// Prepares on a store with a hundred trips, and gives what is counted.
  let prepare: @Sendable (CountedStore) throws -> () throws -> Void

  init(_ name: String, _ prepare: @escaping @Sendable (CountedStore) throws -> () throws -> Void) {
    self.name = name
    self.prepare = prepare
  }

  /// How many trips the stores have.
  static let trips = 100

  /// The table's operations in its order.
  static let all = reading + relating + saving + changingMany

  /// An operation in a fresh context of an open store.
  fileprivate static func inContext(
    _ name: String,
    _ body: @escaping @Sendable (ModelContext) throws -> Void
  ) -> CountedOperation {
    CountedOperation(name) { store in
      let context = ModelContext(try store.open())
      context.autosaveEnabled = false
      return { try body(context) }
    }
  }

  /// The same in a context that has done it before, so that all is prepared and known.
  fileprivate static func again(
    _ name: String,
    _ body: @escaping @Sendable (ModelContext) throws -> Void
  ) -> CountedOperation {
    CountedOperation(name) { store in
      let context = ModelContext(try store.open())
      context.autosaveEnabled = false
      // Held, so that the context knows them as a program's own objects.
      let trips = try context.fetch(FetchDescriptor<Trip>())
      try body(context)
      return { try withExtendedLifetime(trips) { try body(context) } }
    }
  }

  /// The same with all trips loaded.
  fileprivate static func withTrips(
    _ name: String,
    _ body: @escaping @Sendable (ModelContext, [Trip]) throws -> Void
  ) -> CountedOperation {
    CountedOperation(name) { store in
      let context = ModelContext(try store.open())
      context.autosaveEnabled = false
      let trips = try context.fetch(FetchDescriptor<Trip>())
      // The first save of an open store has things to do that no later one has.
      trips[trips.count - 1].name += "!"
      try context.save()
      return { try body(context, trips) }
    }
  }

  private static var page: FetchDescriptor<Trip> {
    let bound = 50
    var page = FetchDescriptor<Trip>(
      predicate: #Predicate { $0.rank >= bound },
      sortBy: [SortDescriptor(\.rank)]
    )
    page.fetchLimit = 10
    return page
  }
}

extension CountedOperation {
  private static let reading: [CountedOperation] = [
    CountedOperation("open the store") { store in { _ = try store.open() } },
    inContext("fetch 100 objects") { _ = try $0.fetch(FetchDescriptor<Trip>()) },
    again("fetch them again") { _ = try $0.fetch(FetchDescriptor<Trip>()) },
    CountedOperation("fetch an object by its key") { store in
      let container = try store.open()
      let key = try ModelContext(container).fetchIdentifiers(FetchDescriptor<Trip>())[50]
      return { _ = ModelContext(container).model(for: key) }
    },
    withTrips("find an object that is known by its key") { context, trips in
      _ = context.model(for: trips[50].persistentModelID)
    },
    inContext("filter, sort, limit 10") { _ = try $0.fetch(page) },
    again("filter, sort, limit 10, again") { _ = try $0.fetch(page) },
    inContext("count by an index") { _ = try $0.fetchCount(page) },
    again("count by an index, again") { _ = try $0.fetchCount(page) },
    inContext("fetch 10 identifiers") { _ = try $0.fetchIdentifiers(page) },
    inContext("select two properties of 10 objects") {
      _ = try $0.fetch(page, select: \.name, \.rank)
    },
    inContext("count and sum of all") { context in
      _ = try context.aggregate(FetchDescriptor<Trip>(), .count, .sum(\.rank))
    },
    inContext("go through 100 objects, 10 at a time") {
      try $0.enumerate(FetchDescriptor<Trip>(), batchSize: 10) { _ in }
    },
  ]

  private static let relating: [CountedOperation] = [
    inContext("100 trips with 300 items, in a loop") { context in
      for trip in try context.fetch(FetchDescriptor<Trip>()) {
        for item in trip.items { _ = item.title }
      }
    },
    inContext("100 trips with 300 items, prefetched") { context in
      var all = FetchDescriptor<Trip>()
      all.relationshipKeyPathsForPrefetching = [\.items]
      for trip in try context.fetch(all) { for item in trip.items { _ = item.title } }
    },
    inContext("300 items with their trips, in a loop") { context in
      for item in try context.fetch(FetchDescriptor<Item>()) { _ = item.trip?.name }
    },
    CountedOperation("the values of one trip with 3 items, again") { store in
      let container = try store.open()
      let key = try ModelContext(container).fetchIdentifiers(FetchDescriptor<Trip>())[50]
      let values = {
        _ = try ModelContext(container).fetchSnapshot(of: Trip.self, for: key, including: \.items)
      }
      try values()
      return values
    },
    inContext("count the items of one trip") { context in
      _ = try context.fetch(page)[0].count(of: \.items)
    },
  ]

  private static let saving: [CountedOperation] = [
    inContext("save nothing") { try $0.save() },
    inContext("save a new trip with 3 items, the first save") { context in
      context.insert(Trip(1_000))
      try context.save()
    },
    withTrips("save a new trip with 3 items") { context, _ in
      context.insert(Trip(1_000))
      try context.save()
    },
    withTrips("save 100 new trips with 300 items") { context, _ in
      for number in 0..<100 { context.insert(Trip(1_000 + number)) }
      try context.save()
    },
    withTrips("save a change of one object") { context, trips in
      trips[0].name = "changed"
      try context.save()
    },
    withTrips("save a change of 100 objects") { context, trips in
      for trip in trips { trip.rank += 1_000 }
      try context.save()
    },
  ]

  private static let changingMany: [CountedOperation] = [
    withTrips("delete one trip with 3 items") { context, trips in
      context.delete(trips[0])
      try context.save()
    },
    withTrips("delete 100 trips with 300 items") { context, trips in
      for trip in trips { context.delete(trip) }
      try context.save()
    },
    inContext("delete 50 trips by a condition") { context in
      let bound = 50
      try context.delete(model: Trip.self, where: #Predicate { $0.rank < bound })
      try context.save()
    },
    inContext("update 50 trips by a condition") { context in
      let bound = 50
      try context.update(
        model: Trip.self,
        where: #Predicate { $0.rank < bound },
        set: .set(\.name, to: "changed")
      )
      try context.save()
    },
    inContext("update all trips by a sum") { context in
      try context.update(model: Trip.self, set: .set(\.rank, to: #Expression { $0.rank + 1 }))
      try context.save()
    },
  ]
}
