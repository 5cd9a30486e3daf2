import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("A store without support for migrations")
struct RewritingTests {
  private let configuration = ShelfStore.Configuration()

  private func open(
    _ version: any VersionedSchema.Type,
    _ plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(versionedSchema: version),
      migrationPlan: plan,
      configurations: [configuration]
    )
  }

  private func fill(_ titles: [String] = ["a", "b"]) throws {
    let context = ModelContext(try open(TripsV1.self))
    let tag = TripsV1.Tag(name: "t")
    for title in titles {
      let trip = TripsV1.Trip(title: title)
      trip.length = "5"
      trip.tags = [tag]
      context.insert(trip)
      for name in ["x", "y", "z"] { context.insert(TripsV1.Stop(name: name, trip: trip)) }
      trip.stops = trip.stops.sorted { $0.name > $1.name }
    }
    context.insert(TripsV1.Dog(name: "rex", age: 4))
    try context.save()
  }

  @Test func `is migrated through fetches and saves, without a plan too`() throws {
    try fill()
    let context = ModelContext(try open(TripsV2.self))
    let trips = try context.fetch(FetchDescriptor<TripsV2.Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.name) == ["a", "b"])
    #expect(trips.map(\.rating) == [3, 3])
    #expect(trips.map { $0.stops.map(\.name) } == [["z", "y", "x"], ["z", "y", "x"]])
    #expect(trips.first?.tags.first?.trips.count == 2)
    #expect(try context.fetch(FetchDescriptor<TripsV2.Dog>()).map(\.age) == [4])
  }

  @Test func `is migrated by stages with code`() throws {
    try fill(["a", "b", "a"])
    let context = ModelContext(try open(TripsV3.self, StepwisePlan.self))
    let trips = try context.fetch(FetchDescriptor<TripsV3.Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.name) == ["a", "b"])
    #expect(trips.map(\.length) == [7, 7])
    #expect(try context.fetchCount(FetchDescriptor<TripsV3.Stop>()) == 6)
  }

  @Test func `is unchanged if a stage fails or rows violate the new schema`() throws {
    try fill(["a", "a"])
    #expect(throws: StageFailure.self) { try open(TripsV3.self, UniqueFreePlan.self) }
    #expect(throws: DataStoreError.schemaMismatch) { try open(TripsV3.self, TripPlan.self) }
    let context = ModelContext(try open(TripsV1.self))
    #expect(try context.fetchCount(FetchDescriptor<TripsV1.Trip>()) == 2)
  }

  @Test func `is refused by an older program without a plan`() throws {
    try fill()
    let context = ModelContext(try open(TripsV2.self))
    for trip in try context.fetch(FetchDescriptor<TripsV2.Trip>()) { trip.rating = 5 }
    try context.save()
    #expect(throws: DataStoreError.storeTooNew) { try open(TripsV1.self) }
    let trips = try ModelContext(try open(TripsV2.self)).fetch(FetchDescriptor<TripsV2.Trip>())
    #expect(trips.map(\.rating) == [5, 5])
  }

  @Test func `supports rehearsals`() throws {
    try fill()
    let rehearsal = try StepwisePlan.rehearse(on: configuration)
    #expect(rehearsal.succeeds)
    #expect(rehearsal.steps.count == 2)
    let context = ModelContext(try open(TripsV1.self))
    #expect(try context.fetchCount(FetchDescriptor<TripsV1.Trip>()) == 2)
  }
}

/// A plan whose code fails before any other error.
private enum UniqueFreePlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { TripPlan.schemas }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: TripsV1.self,
        toVersion: TripsV2.self,
        willMigrate: { context in
          for trip in try context.fetch(FetchDescriptor<TripsV1.Trip>()) { context.delete(trip) }
          try context.save()
          throw StageFailure()
        },
        didMigrate: nil
      )
    ]
  }
}
