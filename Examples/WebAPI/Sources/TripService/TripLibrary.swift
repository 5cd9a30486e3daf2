import Foundation
import OpenSwiftData

/// The trips of a store, as Sendable copies.
///
/// Each call has a context of its own, so that requests never wait for each other's objects. Reads run
/// on the thread of the request, unless the response comes from a server. Saves wait for the disk and
/// for other saves, and run in background tasks.
public struct TripLibrary: Sendable {
  /// The models of the service.
  public static let schema = Schema([
    Trip.self, PersonalTrip.self, BusinessTrip.self, BucketListItem.self, LivingAccommodation.self,
  ])

  /// Some of the trips, with the number of all.
  struct Page: Encodable, Sendable {
    let total: Int
    let trips: [TripCopy]
  }

  private let container: ModelContainer
  private let store: String
  private let isRemote: Bool

  /// Creates a library over a container of the schema.
  public init(_ container: ModelContainer) {
    self.container = container
    store = container.stores.first?.identifier ?? ""
    isRemote = container.capabilities(for: Trip.self)?.isRemote == true
  }

  /// Reads without blocking one of Swift's threads while a server responds.
  func reading<Value: Sendable>(
    _ body: @escaping @Sendable (TripLibrary) throws -> Value
  ) async throws -> Value {
    guard isRemote else { return try body(self) }
    return try await container.performBackgroundTask { _ in try body(self) }
  }

  /// A page of all trips, sorted by their start.
  func page(offset: Int, limit: Int) throws -> Page {
    let context = ModelContext(container)
    var descriptor = FetchDescriptor<Trip>(
      sortBy: [SortDescriptor(\.startDate), SortDescriptor(\.name)]
    )
    let total = try context.fetchCount(descriptor)
    descriptor.fetchOffset = offset
    descriptor.fetchLimit = limit
    let trips = try context.fetchSnapshots(
      descriptor,
      including: \.bucketList,
      \Trip.livingAccommodation
    )
    return Page(total: total, trips: trips.map(TripCopy.init))
  }

  /// A trip with its plans, or `nil` if there is none.
  func trip(_ key: Int64) throws -> TripCopy? {
    try ModelContext(container).fetchSnapshot(
      of: Trip.self,
      for: identifier(key),
      including: \.bucketList,
      \Trip.livingAccommodation
    ).map(TripCopy.init)
  }

  /// Saves a trip, or updates the one with the same name and days.
  func add(_ snapshot: ModelSnapshot<Trip>) async throws -> TripCopy {
    try await saving { context in
      let trip = try context.upsert(snapshot)
      return {
        TripCopy(snapshot: try trip.snapshot(including: \.bucketList, \Trip.livingAccommodation))
      }
    }
  }

  /// Sets the properties of a trip that a snapshot has, and returns `nil` if there is no such trip.
  func change(_ key: Int64, by changes: ModelSnapshot<Trip>) async throws -> TripCopy? {
    let id = try identifier(key)
    return try await saving { context in
      guard let trip = try Self.trip(id, in: context) else { return { nil } }
      try context.apply(changes, to: trip)
      return {
        TripCopy(snapshot: try trip.snapshot(including: \.bucketList, \Trip.livingAccommodation))
      }
    }
  }

  /// Deletes a trip, and returns whether there was one.
  func remove(_ key: Int64) async throws -> Bool {
    let id = try identifier(key)
    return try await saving { context in
      guard let trip = try Self.trip(id, in: context) else { return { false } }
      context.delete(trip)
      return { true }
    }
  }

  /// Changes objects of a context, saves it in a background task, and returns what the closure of
  /// the change makes of the saved objects.
  ///
  /// The change reads on the thread of the request, as all reads do, so that only the save waits for
  /// its turn.
  private func saving<Value: Sendable>(
    _ change: @escaping @Sendable (ModelContext) throws -> () throws -> Value
  ) async throws -> Value {
    if isRemote {
      return try await container.performBackgroundTask { context in
        let result = try change(context)
        try context.save()
        return try result()
      }
    }
    let context = ModelContext(container)
    let result = try change(context)
    return try await container.performBackgroundTask { _ in
      try context.save()
      return try result()
    }
  }

  private static func trip(_ id: PersistentIdentifier, in context: ModelContext) throws -> Trip? {
    let descriptor = FetchDescriptor<Trip>(predicate: #Predicate { $0.persistentModelID == id })
    return try context.fetch(descriptor).first
  }

  private func identifier(_ key: Int64) throws -> PersistentIdentifier {
    try .identifier(
      for: store,
      entityName: Schema.entityName(for: Trip.self),
      primaryKey: key
    )
  }
}

/// A copy of a trip with its plans, and its key in the store.
struct TripCopy: Encodable, Sendable {
  let snapshot: ModelSnapshot<Trip>
  var id: Int64 { snapshot.persistentModelID?.integerKey ?? 0 }

  private enum Key: CodingKey { case id }

  /// Encodes the properties of the trip, and its key beside them.
  func encode(to encoder: any Encoder) throws {
    try snapshot.encode(to: encoder)
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(id, forKey: .id)
  }
}
