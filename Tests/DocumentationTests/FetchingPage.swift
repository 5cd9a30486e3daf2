import Foundation
import OpenSwiftData
import Testing

/// The code of the guides about fetching and about moving from Core Data, GRDB and SwiftData.
@Suite struct `Fetches in the guides` {
  let context: ModelContext

  init() throws {
    context = ModelContext(try SampleTrips.container())
  }

  @Test func `use predicates for stops`() throws {
    let (name, names, least, range) = ("Alps", ["Bern", "Chur"], 2, 2...3)
    // snippet.core-data-stops
    // NSPredicate(format: "place == %@", name)
    let equal = #Predicate<Stop> { $0.place == name }
    // "nights >= %d AND NOT (place IN %@)"
    let both = #Predicate<Stop> { $0.nights >= least && !names.contains($0.place) }
    // "nights BETWEEN {2, 3}"
    let between = #Predicate<Stop> { range.contains($0.nights) }
    // "place BEGINSWITH 'B'"
    let begins = #Predicate<Stop> { $0.place.starts(with: "B") }
    // "place CONTAINS[cd] %@": also without regard to case and accents
    let contains = #Predicate<Stop> { $0.place.localizedStandardContains("flam") }
    // "trip.name == %@"
    let related = #Predicate<Stop> { $0.trip?.name == name }
    // "trip == nil"
    let alone = #Predicate<Stop> { $0.trip == nil }
    // snippet.end
    #expect(try places(equal).isEmpty)
    #expect(try places(both) == ["Flåm", "Zermatt"])
    #expect(try places(between) == ["Bern", "Flåm"])
    #expect(try places(begins) == ["Bergen", "Bern"])
    #expect(try places(contains) == ["Flåm"])
    #expect(try places(related) == ["Bern", "Chur", "Zermatt"])
    #expect(try places(alone).isEmpty)
  }

  private func places(_ predicate: Predicate<Stop>) throws -> [String] {
    try context.fetch(
      FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.place)]),
      select: \.place
    )
  }

  @Test func `use predicates for trips`() throws {
    let (least, count, day) = (4, 2, Date(timeIntervalSinceReferenceDate: 1_500))
    // snippet.core-data-trips
    // "start < %@"
    let early = #Predicate<Trip> { $0.start < day }
    // "price == nil"
    let free = #Predicate<Trip> { $0.price == nil }
    // "ANY stops.nights >= %d"
    let any = #Predicate<Trip> { $0.stops.contains { $0.nights >= least } }
    // "ALL stops.nights < %d"
    let all = #Predicate<Trip> { $0.stops.allSatisfy { $0.nights < least } }
    // "stops.@count > %d"
    let many = #Predicate<Trip> { $0.stops.count > count }
    // "SUBQUERY(stops, $s, $s.nights > 1).@count == %d"
    let some = #Predicate<Trip> { $0.stops.filter { $0.nights > 1 }.count == count }
    // snippet.end
    #expect(try names(early) == ["Fjords"])
    #expect(try names(free) == ["Alps"])
    #expect(try names(any) == ["Alps"])
    #expect(try names(all) == ["Fjords"])
    #expect(try names(many) == ["Alps"])
    #expect(try names(some) == ["Alps"])
  }

  private func names(_ predicate: Predicate<Trip>) throws -> [String] {
    try context.fetch(
      FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)]),
      select: \.name
    )
  }

  @Test func `use conditions of every kind`() throws {
    let (least, name, text, range) = (4, "Alps", "flam", 2...3)
    let day = Date(timeIntervalSinceReferenceDate: 1_500)
    // snippet.fetch-conditions
    let early = #Predicate<Trip> { $0.start < day }
    let free = #Predicate<Trip> { $0.price == nil }
    let slow = #Predicate<Trip> { $0.stops.contains { $0.nights >= least } }
    let short = #Predicate<Stop> { $0.trip?.name == name && range.contains($0.nights) }
    let typed = #Predicate<Stop> { $0.place.localizedStandardContains(text) }
    // snippet.end
    #expect(try names(early) == ["Fjords"])
    #expect(try names(free) == ["Alps"])
    #expect(try names(slow) == ["Alps"])
    #expect(try places(short) == ["Bern"])
    #expect(try places(typed) == ["Flåm"])
  }

  @Test func `use predicates composed at run time`() throws {
    let (typed, day): (String?, Date?) = ("alp", nil)
    // snippet.composed
    var parts: [Predicate<Trip>] = []
    if let typed { parts.append(Trip.where(\.name, .localizedStandardContains(typed))) }
    if let day { parts.append(#Predicate { $0.start >= day }) }
    var descriptor = FetchDescriptor<Trip>(predicate: Predicate(all: parts))
    descriptor.sortBy = try SortDescriptor.named(["-start", "name"])
    // snippet.end
    #expect(try context.fetch(descriptor).map(\.name) == ["Alps"])
  }

  @Test func `use the options of a fetch request`() throws {
    let day = Date(timeIntervalSinceReferenceDate: 0)
    // snippet.fetch-request
    var descriptor = FetchDescriptor<Trip>(
      predicate: #Predicate { $0.start >= day },
      sortBy: [SortDescriptor(\.start, order: .reverse), SortDescriptor(\.name)]
    )
    descriptor.fetchLimit = 20
    descriptor.fetchOffset = 0
    descriptor.propertiesToFetch = [\.name, \.start]
    descriptor.relationshipKeyPathsForPrefetching = [\.stops]
    let trips = try context.fetch(descriptor)
    let count = try context.fetchCount(descriptor)
    let identifiers = try context.fetchIdentifiers(descriptor)
    // snippet.end
    #expect(trips.map(\.name) == ["Alps", "Fjords"])
    #expect(count == 2)
    #expect(identifiers == trips.map(\.persistentModelID))
  }

  @Test func `return values, aggregates and groups`() throws {
    // snippet.values
    let names = try context.fetch(FetchDescriptor<Trip>(), select: \.name)
    let (nights, longest) = try context.aggregate(
      FetchDescriptor<Stop>(),
      .sum(\.nights),
      .maximum(\.nights)
    )
    for group in try context.fetch(
      FetchDescriptor<Stop>(),
      groupedBy: \.trip?.name,
      aggregates: .count,
      .sum(\.nights),
      sortBy: [.descending(.count)]
    ) {
      print(group.key ?? "no trip", group.values.0, group.values.1)
    }
    // snippet.end
    #expect(names == ["Fjords", "Alps"])
    #expect(nights == 11)
    #expect(longest == 4)
  }

  @Test func `update and delete many objects`() throws {
    // snippet.bulk
    let single = 1
    try context.update(
      model: Stop.self,
      where: #Predicate { $0.nights == single },
      set: .set(\.nights, to: #Expression { $0.nights + 1 })
    )
    let long = 3
    try context.delete(model: Stop.self, where: #Predicate { $0.nights > long })
    try context.save()
    // snippet.end
    let nights = try context.fetch(FetchDescriptor<Stop>(), select: \.nights)
    #expect(nights == [2, 2, 3, 2])
  }

  @Test func `search for words`() throws {
    // snippet.search
    let search = TextSearch("zermatt OR berg* -chur")
    let found = try context.fetch(
      FetchDescriptor<Stop>(predicate: #Predicate { $0.place.contains(search) })
    )
    // snippet.end
    #expect(found.map(\.place) == ["Bergen", "Zermatt"])
  }

  @Test func `respect a fault limit with one level of relationships`() throws {
    // snippet.fault-limit
    try context.withFaultLimit(2) {
      for trip in try context.fetch(FetchDescriptor<Trip>()) {
        print(trip.name, trip.stops.map(\.place))
      }
    }
    // snippet.end
  }
}
