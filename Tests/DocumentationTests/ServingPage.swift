import Foundation
import OpenSwiftData
import Testing

/// The code of the page about servers.
@Suite struct `A server in the guides` {
  @Test func `answers, saves and ends`() async throws {
    let container = try SampleTrips.container()
    let server = Handlers(container: container)
    let first = try #require(
      try ModelContext(container).fetchIdentifiers(FetchDescriptor<Trip>()).first
    )
    #expect(try server.page(0).count > 2)
    let data = try #require(try server.trip(first))
    var snapshot = try JSONDecoder().decode(ModelSnapshot<Trip>.self, from: data)
    snapshot.name = "Added"
    let added = try await server.add(snapshot)
    #expect(try server.trip(added) != nil)
    // snippet.serve-end
    try container.close()
    // snippet.end
  }
}

private struct Handlers: Sendable {
  let container: ModelContainer

  // snippet.serve-page
  func page(_ number: Int) throws -> Data {
    var descriptor = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.start)])
    descriptor.fetchOffset = number * 20
    descriptor.fetchLimit = 20
    let trips = try ModelContext(container).fetchSnapshots(descriptor, including: \.stops)
    return try JSONEncoder().encode(trips)
  }
  // snippet.end

  // snippet.serve-one
  func trip(_ id: PersistentIdentifier) throws -> Data? {
    let context = ModelContext(container)
    let trip = try context.fetchSnapshot(of: Trip.self, for: id, including: \.stops)
    return try trip.map { try JSONEncoder().encode($0) }
  }
  // snippet.end

  // snippet.serve-save
  func add(_ snapshot: ModelSnapshot<Trip>) async throws -> PersistentIdentifier {
    try await container.performBackgroundTask { context in
      let trip = try context.upsert(snapshot)
      try context.save()
      return trip.persistentModelID
    }
  }
  // snippet.end
}
