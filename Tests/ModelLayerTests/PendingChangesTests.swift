import ModelLayer
import Testing

@Suite("A fetch with pending changes")
struct PendingChangesTests {
  private static func descriptors() -> [FetchDescriptor<Trip>] {
    var window = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.destination, order: .reverse)])
    window.fetchLimit = 3
    window.fetchOffset = 1
    return [
      FetchDescriptor<Trip>(),
      FetchDescriptor<Trip>(
        predicate: #Predicate { $0.destination == "Rome" },
        sortBy: [SortDescriptor(\.name)]
      ),
      window,
      FetchDescriptor<Trip>(predicate: #Predicate { $0.bucketList.isEmpty }),
      FetchDescriptor<Trip>(
        predicate: #Predicate { trip in trip.bucketList.contains { $0.title == "moved" } }
      ),
    ]
  }

  @Test(arguments: 0..<5)
  func `returns the same as a save followed by a fetch`(number: Int) throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    let trips = (0..<6).map { Trip(name: "t\($0)", destination: ["Rome", "Bern", "Oslo"][$0 % 3]) }
    for (index, trip) in trips.enumerated() {
      if index.isMultiple(of: 2) { trip.bucketList = [BucketListItem("item \(index)")] }
      context.insert(trip)
    }
    try context.save()
    trips[1].destination = "Rome"
    trips[0].destination = "Zug"
    context.delete(trips[2])
    context.insert(Trip(name: "new", destination: "Rome"))
    let moved = try #require(trips[4].bucketList.first)
    moved.title = "moved"
    moved.trip = trips[5]

    let descriptor = Self.descriptors()[number]
    var stored = descriptor
    stored.includePendingChanges = false
    let before = try ModelContext(container).fetch(descriptor).map(\.name)
    let onlyStored = try context.fetchIdentifiers(stored)
    #expect(onlyStored.count == before.count)

    let pending = try context.fetch(descriptor).map(\.name)
    let count = try context.fetchCount(descriptor)
    try context.save()
    let after = try ModelContext(container).fetch(descriptor).map(\.name)
    #expect(pending == after)
    #expect(count == after.count)
  }
}
