import AllocationCounting
import OpenSwiftData
import Testing

// The counts are of a debug build, without the optimizer. Each test counts in a separate process,
// because the runtime's allocation hook is shared by all threads.

@Suite("Allocations", .enabled(if: allocation_counting_is_possible()))
struct AllocationTests {
  /// A context with a hundred trips.
  private struct Fixture {
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

  /// The number of objects that this thread allocates in the second run of a closure.
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

  @Test func `are none when properties are read`() async {
    await #expect(processExitsWith: .success) {
      let trips = try Fixture().trips
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

  @Test func `are none when properties are written repeatedly`() async {
    await #expect(processExitsWith: .success) {
      let fixture = try Fixture()
      let count = Self.allocations {
        var index = 0
        while index < fixture.trips.count {
          fixture.trips[index].rank = 7
          index += 1
        }
      }
      precondition(count == 0, "writing makes \(count) allocations")
    }
  }

  @Test func `are none when registered objects are found by identifier`() async {
    await #expect(processExitsWith: .success) {
      let fixture = try Fixture()
      let keys = fixture.trips.map(\.persistentModelID)
      let count = Self.allocations {
        var index = 0
        while index < keys.count {
          _ = fixture.context.model(for: keys[index])
          index += 1
        }
      }
      precondition(count == 0, "finding makes \(count) allocations")
    }
  }
}

private final class Birthmark {}
