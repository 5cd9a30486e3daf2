import Foundation
import OpenSwiftData

/// The trips of a store, as copies that may go anywhere.
///
/// Each call has a context of its own, so that requests never wait for each other's objects.
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

  /// Takes a container of the schema.
  public init(_ container: ModelContainer) { self.container = container }

  /// A part of all trips, by their start.
  func page(offset: Int, limit: Int) throws -> Page {
    let context = ModelContext(container)
    var descriptor = FetchDescriptor<Trip>(
      sortBy: [SortDescriptor(\.startDate), SortDescriptor(\.name)]
    )
    let total = try context.fetchCount(descriptor)
    descriptor.fetchOffset = offset
    descriptor.fetchLimit = limit
    return Page(total: total, trips: try context.fetch(descriptor).map(TripCopy.init))
  }

  /// A trip with its plans, nil where there is none.
  func trip(_ key: Int64) throws -> TripCopy? {
    try find(key, in: ModelContext(container)).map(TripCopy.init)
  }

  /// Saves a trip; one with the same name and days is changed instead.
  func add(_ snapshot: ModelSnapshot<Trip>) throws -> TripCopy {
    let context = ModelContext(container)
    let trip = try context.upsert(snapshot)
    try context.save()
    return try TripCopy(trip)
  }

  /// Deletes a trip, and says whether there was one.
  func remove(_ key: Int64) throws -> Bool {
    let context = ModelContext(container)
    guard let trip = try find(key, in: context) else { return false }
    context.delete(trip)
    try context.save()
    return true
  }

  private func find(_ key: Int64, in context: ModelContext) throws -> Trip? {
    guard let store = container.stores.first else { return nil }
    let id = try PersistentIdentifier.identifier(
      for: store.identifier,
      entityName: Schema.entityName(for: Trip.self),
      primaryKey: key
    )
    let descriptor = FetchDescriptor<Trip>(predicate: #Predicate { $0.persistentModelID == id })
    return try context.fetch(descriptor).first
  }
}

/// A copy of a trip with what it includes, and its number in the store.
struct TripCopy: Encodable, Sendable {
  let id: Int64
  let snapshot: ModelSnapshot<Trip>

  private enum Key: CodingKey { case id }

  init(_ trip: Trip) throws {
    id = trip.persistentModelID.integerKey ?? 0
    snapshot = try trip.snapshot(including: \.bucketList, \Trip.livingAccommodation)
  }

  /// Writes the properties of the trip, and its number beside them.
  func encode(to encoder: any Encoder) throws {
    try snapshot.encode(to: encoder)
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(id, forKey: .id)
  }
}
