import OpenSwiftData
import StoreTesting
import Testing

/// The other code of the page about tests.
@Suite struct `Tests in the guides` {
  // snippet.test-every-store
  @Test(arguments: ["memory:", "json:trips.json", "sqlite:trips.db"])
  func `finds a trip on every store`(_ store: String) throws {
    let container = try ModelContainer.ephemeral(for: Trip.self, store: store)
    let context = ModelContext(container)
    context.insert(Trip(name: "Fjords"))
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Trip>()).map(\.name) == ["Fjords"])
  }
  // snippet.end

  @Test func `check the cost of a fetch`() throws {
    let context = ModelContext(try ModelContainer(for: Trip.self, store: "sqlite::memory:"))
    // snippet.test-cost
    let long = 2
    let descriptor = FetchDescriptor<Stop>(predicate: #Predicate { $0.nights > long })
    #expect(try context.explain(descriptor).isNative)
    try context.withFaultLimit(0) { _ = try context.fetch(descriptor).map(\.place) }
    // snippet.end
  }
}
