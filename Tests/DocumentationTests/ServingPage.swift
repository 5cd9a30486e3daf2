import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

/// The code of the page about servers.
@Suite struct `A server in the guides` {
  @Test func `returns pages and objects, saves, and closes the store`() async throws {
    let container = try SampleTrips.container()
    let server = Handlers(container: container)
    let first = try #require(
      try ModelContext(container).fetchIdentifiers(FetchDescriptor<Trip>()).first
    )
    let page = try JSONDecoder().decode(
      FetchPage<ModelSnapshot<Trip>>.self,
      from: server.page(after: nil)
    )
    #expect(page.elements.count > 1 && page.next == nil)
    let data = try #require(try server.trip(first))
    var snapshot = try JSONDecoder().decode(ModelSnapshot<Trip>.self, from: data)
    snapshot.name = "Added"
    let added = try await server.add(snapshot)
    #expect(try server.trip(added) != nil)
    // snippet.serve-end
    try container.close()
    // snippet.end
  }

  @Test func `closes the store as a service`() async throws {
    let container = try SampleTrips.container()
    let service = Task {
      // snippet.serve-run
      try await container.run()
      // snippet.end
    }
    service.cancel()
    try await service.value
  }

  @Test func `rehearses a migration on a backup`() throws {
    let folder = try TemporaryFolder()
    let store = SQLiteStoreConfiguration(url: folder.file("trips.db"))
    let container = try ModelContainer(
      for: Schema(versionedSchema: TripsV1.self),
      configurations: store
    )
    let rehearsal = try Self.rehearse(container, in: folder.url)
    #expect(rehearsal.succeeds && rehearsal.steps.count == 1)
    #expect(try folder.names().contains("rehearsal.db"))
  }

  static func rehearse(
    _ container: ModelContainer,
    in folder: URL
  ) throws -> MigrationRehearsal {
    // snippet.serve-rehearse
    let copy = folder.appending(path: "rehearsal.db")
    for case let store as any MaintainableStore in container.stores {
      try store.backup(to: copy)
    }
    let rehearsal = try TripsPlan.rehearse(on: SQLiteStoreConfiguration(url: copy))
    print(rehearsal.succeeds, rehearsal)
    // snippet.end
    return rehearsal
  }

  @Test func `refuses a store of a newer version`() throws {
    let folder = try TemporaryFolder()
    let store = SQLiteStoreConfiguration(url: folder.file("trips.db"))
    let newer = Schema([Trip.self, Stop.self], version: Schema.Version(2, 0, 0))
    _ = try ModelContainer(for: newer, configurations: store)
    #expect(throws: DataStoreError.storeTooNew) {
      _ = try ModelContainer(for: Schema(versionedSchema: TripsV1.self), configurations: store)
    }
  }
}

private struct Handlers: Sendable {
  let container: ModelContainer

  // snippet.serve-page
  func page(after token: PageToken?) throws -> Data {
    var descriptor = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.start)])
    descriptor.fetchLimit = 20
    let context = ModelContext(container)
    let page = try context.fetchSnapshots(descriptor.page(after: token), including: \Trip.stops)
    return try JSONEncoder().encode(page)
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

  // snippet.serve-save-prepared
  func addPrepared(_ snapshot: ModelSnapshot<Trip>) async throws -> PersistentIdentifier {
    let prepared = ModelContext(container)
    let trip = try prepared.upsert(snapshot)
    return try await container.performBackgroundTask { _ in
      try prepared.save()
      return trip.persistentModelID
    }
  }
  // snippet.end
}
