import Foundation
import OpenSwiftData

/// The trips of a store, as copies that may go anywhere.
///
/// Each call has a context of its own, so that requests never wait for each other's objects. Reads are
/// answered where they are asked for. Saves wait for the disk and for other saves, and do so on threads
/// of their own.
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

  /// Takes a container of the schema.
  public init(_ container: ModelContainer) {
    self.container = container
    store = container.stores.first?.identifier ?? ""
  }

  /// A part of all trips, by their start.
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

  /// A trip with its plans, nil where there is none.
  func trip(_ key: Int64) throws -> TripCopy? {
    try ModelContext(container).fetchSnapshot(
      of: Trip.self,
      for: identifier(key),
      including: \.bucketList,
      \Trip.livingAccommodation
    ).map(TripCopy.init)
  }

  /// Saves a trip; one with the same name and days is changed instead.
  func add(_ snapshot: ModelSnapshot<Trip>) async throws -> TripCopy {
    try await container.performBackgroundTask { context in
      let trip = try context.upsert(snapshot)
      try context.save()
      return TripCopy(
        snapshot: try trip.snapshot(including: \.bucketList, \Trip.livingAccommodation)
      )
    }
  }

  /// Deletes a trip, and says whether there was one.
  func remove(_ key: Int64) async throws -> Bool {
    let id = try identifier(key)
    return try await container.performBackgroundTask { context in
      let descriptor = FetchDescriptor<Trip>(predicate: #Predicate { $0.persistentModelID == id })
      guard let trip = try context.fetch(descriptor).first else { return false }
      context.delete(trip)
      try context.save()
      return true
    }
  }

  private func identifier(_ key: Int64) throws -> PersistentIdentifier {
    try .identifier(
      for: store,
      entityName: Schema.entityName(for: Trip.self),
      primaryKey: key
    )
  }
}

/// A copy of a trip with what it includes, and its number in the store.
struct TripCopy: Encodable, Sendable {
  let snapshot: ModelSnapshot<Trip>
  var id: Int64 { snapshot.persistentModelID?.integerKey ?? 0 }

  private enum Key: CodingKey { case id }

  /// Writes the properties of the trip, and its number beside them.
  func encode(to encoder: any Encoder) throws {
    try snapshot.encode(to: encoder)
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(id, forKey: .id)
  }
}
