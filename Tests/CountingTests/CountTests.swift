import Foundation
import OpenSwiftData
import Testing

// Performance is checked by counts of statements, rows, objects and writes. Counts are repeatable,
// unlike times. A changed count fails the test and is reviewed with the table that it changes.
// The sizes are those of SQLite 3.40; another version may write other pages.

@Suite("The counts of each operation", .serialized)
struct CountTests {
  private static let file = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Counts.txt")
  // OPENSWIFTDATA_COUNTS=write swift test --filter CountTests rewrites the table.
  private static let writes =
    ProcessInfo.processInfo.environment["OPENSWIFTDATA_COUNTS"] == "write"

  // Fixed identifiers and times keep the lengths of checksums the same in each run.
  private static let environment = StoreEnvironment(
    now: { Date(timeIntervalSinceReferenceDate: 800_000_000) },
    makeUUID: { UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)) },
    makeSaveIdentifier: { UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)) },
    processIdentifier: "4711"
  )

  @Test func `equal the table`() throws {
    let lines = try StoreEnvironment.$current.withValue(Self.environment) {
      try CountedOperation.all.reduce(into: [Counts.head]) { lines, operation in
        for kind in CountedStore.Kind.allCases {
          lines.append(try counts(of: operation, kind).line(operation.name, kind.rawValue))
        }
      }
    }
    if Self.writes {
      let text = lines.joined(separator: "\n") + "\n"
      return try text.write(to: Self.file, atomically: true, encoding: .utf8)
    }
    let expectedLines = try String(contentsOf: Self.file, encoding: .utf8)
      .split(separator: "\n").map(String.init)
    #expect(lines.count == expectedLines.count)
    for (line, expected) in zip(lines, expectedLines) {
      #expect(line == expected, "a count has changed; see the head of this test")
    }
  }

  /// Counts requests and rows with a wrapper, and all else without it, because it adds its own costs.
  private func counts(
    of operation: CountedOperation,
    _ kind: CountedStore.Kind
  ) throws -> Counts {
    let wrapped = try counts(of: operation, kind, isWrapped: true)
    var counts = try counts(of: operation, kind, isWrapped: false)
    counts.requests = wrapped.requests
    counts.rows = wrapped.rows
    #expect(counts.objects == wrapped.objects, "\(operation.name), \(kind)")
    return counts
  }

  private func counts(
    of operation: CountedOperation,
    _ kind: CountedStore.Kind,
    isWrapped: Bool
  ) throws -> Counts {
    let store = try CountedStore(kind, trips: CountedOperation.trips, isWrapped: isWrapped)
    let body = try operation.prepare(store)
    return try store.counts(body)
  }

  // The context removes entries of released objects.
  @Test func `of live objects during an enumeration are limited by the batch size`() throws {
    let store = try CountedStore(.sqlite, trips: 2_000, isWrapped: false)
    let context = ModelContext(try store.open())
    var alive = 0
    var most = 0
    var seen: [WeakTrip] = []
    try context.enumerate(FetchDescriptor<Trip>(), batchSize: 100) { trip in
      seen.append(WeakTrip(trip: trip))
      guard seen.count.isMultiple(of: 100) else { return }
      alive = seen.count { $0.trip != nil }
      most = max(most, alive)
    }
    #expect(seen.count == 2_000)
    #expect(most > 0 && most <= 200)
  }
}

private struct WeakTrip {
  weak var trip: Trip?
}
