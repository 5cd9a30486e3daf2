import Foundation

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

/// The other code of the page about tests.
@Suite struct `Tests in the guides` {
  // snippet.test-every-store
  @Test(arguments: ["memory:", "json:", "sqlite:"])
  func `finds a trip on every store`(_ scheme: String) throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    // snippet.hide
    defer { TestFiles.remove(path) }
    // snippet.show
    let container = try ModelContainer(for: Trip.self, store: scheme + path)
    let context = ModelContext(container)
    context.insert(Trip(name: "Fjords"))
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Trip>()).map(\.name) == ["Fjords"])
  }
  // snippet.end

  @Test func `check the cost of a fetch`() throws {
    let context = ModelContext(try ModelContainer(for: Trip.self, store: "sqlite:"))
    // snippet.test-cost
    let long = 2
    let descriptor = FetchDescriptor<Stop>(predicate: #Predicate { $0.nights > long })
    #expect(try context.explain(descriptor).isNative)
    try context.withFaultLimit(0) { _ = try context.fetch(descriptor).map(\.place) }
    // snippet.end
  }
}

/// Removes the files of the page's tests, whose code does not.
private enum TestFiles {
  static func remove(_ path: String) {
    let store = URL(filePath: path)
    let folder = store.deletingLastPathComponent()
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for name in names where name.hasPrefix(store.lastPathComponent) {
      try? FileManager.default.removeItem(at: folder.appending(path: name))
    }
  }
}
