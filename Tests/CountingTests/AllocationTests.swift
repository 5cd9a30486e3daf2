import AllocationCounting
import OpenSwiftData
import Testing

// The counts are of a build for tests: what the optimiser would remove is in them.

@Suite("Allocations", .serialized, .enabled(if: allocation_counting_is_possible()))
struct AllocationTests {
  private let context: ModelContext
  private let trips: [Trip]

  init() throws {
    context = ModelContext(try ModelContainer(for: Trip.self, store: "memory:"))
    context.autosaveEnabled = false
    for number in 0..<100 { context.insert(Trip(number)) }
    try context.save()
    trips = try context.fetch(FetchDescriptor<Trip>())
  }

  /// How many objects of the runtime this thread allocates in a body that has run once before.
  private func allocations(_ body: () throws -> Void) rethrows -> Int {
    try body()
    allocation_counting_begin()
    defer { _ = allocation_counting_end() }
    try body()
    return allocation_counting_end()
  }

  @Test func `are counted`() {
    var kept: [Birthmark] = []
    kept.reserveCapacity(10)
    #expect(allocations { kept = (0..<10).map { _ in Birthmark() } } == 11)
  }

  @Test func `are none where properties are read`() {
    var sum = 0
    let count = allocations {
      var index = 0
      while index < trips.count {
        sum += trips[index].rank + trips[index].name.utf8.count
        index += 1
      }
    }
    #expect(sum > 0)
    #expect(count == 0)
  }

  @Test func `are none where properties are written again`() {
    let count = allocations {
      var index = 0
      while index < trips.count {
        trips[index].rank = 7
        index += 1
      }
    }
    #expect(count == 0)
  }

  @Test func `are none where known objects are found by key`() {
    let keys = trips.map(\.persistentModelID)
    let count = allocations {
      var index = 0
      while index < keys.count {
        _ = context.model(for: keys[index])
        index += 1
      }
    }
    #expect(count == 0)
  }
}

private final class Birthmark {}
