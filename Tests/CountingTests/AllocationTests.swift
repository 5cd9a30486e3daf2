import AllocationCounting
import ComposableStores
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

  @Test(arguments: ["memory:", "sqlite::memory:"])
  func `are not increased by an interceptor that only calls the body`(_ url: String) async {
    await #expect(processExitsWith: .success) { [url = url as String] in
      let counts = try Self.requestAllocations(StoreScheme.configuration(for: url))
      let intercepted = try Self.requestAllocations(
        StoreScheme.configuration(for: url).intercepted(by: Passing())
      )
      precondition(counts == intercepted, "\(counts) allocations become \(intercepted)")
    }
  }

  /// The number of objects that requests to a store allocate.
  ///
  /// No save is counted: while the runtime's allocator is replaced, the runtime retains the short
  /// strings of a notification as objects, and crashes.
  private static func requestAllocations(
    _ configuration: any DataStoreConfiguration
  ) throws -> [Int] {
    let container = try ModelContainer(for: Schema([Trip.self]), configurations: [configuration])
    let context = ModelContext(container)
    context.autosaveEnabled = false
    context.insert(Trip(0))
    try context.save()
    let trips = FetchDescriptor<Trip>()
    return [
      allocations { _ = try? context.fetchCount(trips) },
      allocations { _ = try? context.fetch(trips) },
      allocations { _ = try? context.fetchIdentifiers(trips) },
    ]
  }
}

private struct Passing: RequestInterceptor {
  func perform<Value>(
    _ request: StoreRequest,
    _ body: () throws -> (value: Value, rows: Int)
  ) throws -> Value { try body().value }
}

private final class Birthmark {}
