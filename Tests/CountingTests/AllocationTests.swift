import AllocationCounting
import CSQLite
import ComposableStores
import Foundation
import OpenSwiftData
import SQLiteBinding
import SQLiteStore
import StoreProtocol
import StoreTestSupport
import Testing

// The counts are of a debug build, without the optimizer. Each test counts in a separate process, in
// which no other test fills the caches of the libraries meanwhile.

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

  /// The number of allocations of this thread in the second run of a closure.
  fileprivate static func allocations(_ body: () -> Void) -> Int {
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

  @Test(arguments: ["memory:", "sqlite::memory:", "sqlite:", "json:"])
  func `are not increased by an interceptor that only calls the body`(_ url: String) async {
    await #expect(processExitsWith: .success) { [url = url as String] in
      let counts = try Requests(url) { $0 }.allocations()
      let intercepted = try Requests(url) { try $0.intercepted(by: Passing()) }.allocations()
      precondition(counts == intercepted, "\(counts) allocations become \(intercepted)")
    }
  }

  @Test func `are none when an interceptor only passes a save on`() async {
    await #expect(processExitsWith: .success) {
      let scope = PersistentIdentifier.Scope(storeIdentifier: "a", entityName: "Trip")
      let trips = (1...100).map { PersistentIdentifier(scope: scope, key: .integer($0)) }
      let changes = StoreChanges(deleted: trips)
      let interceptor = Passing()
      var rows = 0
      let count = Self.allocations {
        for _ in 0..<100 {
          rows += (try? interceptor.perform(.save(changes)) { (trips.count, 0) }) ?? 0
        }
      }
      precondition(rows == 20_000 && count == 0, "a request makes \(count) allocations")
    }
  }

  @Test func `are those of the store alone if no request has an observer`() async {
    await #expect(processExitsWith: .success) {
      let requests = try Requests("sqlite:") { $0 }
      precondition(requests.container.stores[0] is SQLiteStore, "nobody asked for a wrapper")
      let before = requests.readAllocations()
      let observer = StatementObserver { _ in
        let span = Birthmark()
        return { _ in withExtendedLifetime(span) {} }
      }
      let observed = StatementObserver.observing(observer) { requests.readAllocations() }
      let after = requests.readAllocations()
      precondition(before == after, "\(before) allocations become \(after)")
      precondition(zip(before, observed).allSatisfy { $0 < $1 }, "\(observed) for \(before)")
    }
  }

  @Test func `are none when a statement of SQLite runs that has no observer`() async {
    await #expect(processExitsWith: .success) {
      let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY
      let statement = try Statement("SELECT ? + 1", on: SQLiteHandle.open(":memory:", flags))
      var sum: Int64 = 0
      let count = Self.allocations {
        for _ in 0..<100 {
          guard (try? statement.bind(Int64(6), at: 1)) != nil, (try? statement.step()) == true
          else { return }
          sum += statement.integer(at: 0)
          statement.reset()
        }
      }
      precondition(sum == 2 * 700 && count == 0, "a statement makes \(count) allocations")
    }
  }

  /// Requests to a store of its own.
  private struct Requests {
    let container: ModelContainer
    private let folder: TemporaryFolder
    private let context: ModelContext
    private let trips = FetchDescriptor<Trip>()

    /// Fills the store of a URL, whose path is that of a file in a new folder.
    init(
      _ url: String,
      _ configure: (any DataStoreConfiguration) throws -> any DataStoreConfiguration
    ) throws {
      folder = try TemporaryFolder()
      let isInFile = url == "sqlite:" || url == "json:"
      let url = isInFile ? url + folder.file("store").path : url
      container = try ModelContainer(
        for: Schema([Trip.self]),
        configurations: [configure(StoreScheme.configuration(for: url))]
      )
      context = ModelContext(container)
      context.autosaveEnabled = false
      context.insert(Trip(0))
      try context.save()
    }

    /// The numbers of allocations of requests.
    func allocations() throws -> [Int] {
      let reads = readAllocations()
      let trip = try #require(try context.fetch(trips).first)
      let save = AllocationTests.allocations {
        trip.rank += 1
        try? context.save()
      }
      precondition(trip.rank == 2 && !context.hasChanges, "nothing was saved")
      // The time is text of any length in a JSON store.
      let environment = StoreEnvironment(now: { Date(timeIntervalSinceReferenceDate: 0) })
      let insertion = StoreEnvironment.$current.withValue(environment) {
        AllocationTests.allocations {
          context.insert(Trip(1))
          try? context.save()
        }
      }
      let stored = try context.fetchCount(trips)
      precondition(stored == 3, "nothing was inserted")
      return reads + [save, insertion]
    }

    func readAllocations() -> [Int] {
      [
        AllocationTests.allocations { _ = try? context.fetchCount(trips) },
        AllocationTests.allocations { _ = try? context.fetch(trips) },
        AllocationTests.allocations { _ = try? context.fetchIdentifiers(trips) },
      ]
    }
  }
}

private struct Passing: RequestInterceptor {
  func perform<Value>(
    _ request: StoreRequest,
    _ body: () throws -> (value: Value, rows: Int)
  ) throws -> Value { try body().value }
}

private final class Birthmark {}
