import AllocationCounting
import OpenSwiftData
import Testing

// The counts are of a build for tests: what the optimiser would remove is in them. Each is taken in
// a process of its own, since the switch of the runtime that counting needs is one for all threads.

@Suite("Allocations", .enabled(if: allocation_counting_is_possible()))
struct AllocationTests {
  /// A context with a hundred trips.
  private struct Place {
    let context: ModelContext
    let trips: [Trip]

    init() throws {
      context = ModelContext(try ModelContainer(for: Trip.self, store: "memory:"))
      context.autosaveEnabled = false
      for number in 0..<100 { context.insert(Trip(number)) }
      try context.save()
      trips = try context.fetch(FetchDescriptor<Trip>())
    }
  }

  /// How many objects of the runtime this thread allocates in a body that has run once before.
  private static func allocations(_ body: () -> Void) -> Int {
    body()
    allocation_counting_begin()
    body()
    return allocation_counting_end()
  }

  @Test func `are counted`() async {
    await #expect(processExitsWith: .success) {
      var kept: [Birthmark] = []
      kept.reserveCapacity(10)
      let count = Self.allocations { kept = (0..<10).map { _ in Birthmark() } }
      precondition(count == 11, "ten objects and their list are \(count) allocations")
    }
  }

  @Test func `are none where properties are read`() async {
    await #expect(processExitsWith: .success) {
      let trips = try Place().trips
      var sum = 0
      let count = Self.allocations {
        var index = 0
        while index < trips.count {
          sum += trips[index].rank + trips[index].name.utf8.count
          index += 1
        }
      }
      precondition(sum > 0 && count == 0, "reading makes \(count) allocations")
    }
  }

  @Test func `are none where properties are written again`() async {
    await #expect(processExitsWith: .success) {
      let place = try Place()
      let count = Self.allocations {
        var index = 0
        while index < place.trips.count {
          place.trips[index].rank = 7
          index += 1
        }
      }
      precondition(count == 0, "writing makes \(count) allocations")
    }
  }

  @Test func `are none where known objects are found by key`() async {
    await #expect(processExitsWith: .success) {
      let place = try Place()
      let keys = place.trips.map(\.persistentModelID)
      let count = Self.allocations {
        var index = 0
        while index < keys.count {
          _ = place.context.model(for: keys[index])
          index += 1
        }
      }
      precondition(count == 0, "finding makes \(count) allocations")
    }
  }
}

private final class Birthmark {}
