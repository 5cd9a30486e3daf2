// snippet.test-suite
import OpenSwiftData
import Testing

@Suite struct TripTests {
  let context: ModelContext

  /// Each test has a store of its own, in memory, that ends with it.
  init() throws {
    let container = try ModelContainer(for: Trip.self, configurations: MemoryStoreConfiguration())
    context = ModelContext(container)
  }

  @Test func `deleting a trip deletes its stops`() throws {
    let trip = Trip(name: "Fjords")
    trip.stops = [Stop("Bergen"), Stop("Flåm")]
    context.insert(trip)
    try context.save()
    context.delete(trip)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 0)
  }
}
// snippet.end
