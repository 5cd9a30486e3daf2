import OpenSwiftData

/// From the first version to the second, which needs no code.
enum LightPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self] }
  static var stages: [MigrationStage] {
    [.lightweight(fromVersion: TripsV1.self, toVersion: TripsV2.self)]
  }
}

/// From any version to the third, with code that sees both versions of an object.
enum TripPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self, TripsV3.self] }
  static var stages: [MigrationStage] {
    [
      .lightweight(fromVersion: TripsV1.self, toVersion: TripsV2.self),
      .custom(fromVersion: TripsV2.self, toVersion: TripsV3.self) { contexts in
        for old in try contexts.old.fetch(FetchDescriptor<TripsV2.Trip>()) {
          let new = contexts.new.model(for: old.persistentModelID) as? TripsV3.Trip
          new?.length = Int(old.length) ?? 0
        }
      },
    ]
  }
}

/// The same with code before and behind the change of the structure.
enum StepwisePlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self, TripsV3.self] }
  static var stages: [MigrationStage] {
    [
      .lightweight(fromVersion: TripsV1.self, toVersion: TripsV2.self),
      .custom(
        fromVersion: TripsV2.self,
        toVersion: TripsV3.self,
        willMigrate: { context in
          var seen: Set<String> = []
          let order = [SortDescriptor(\TripsV2.Trip.name)]
          for trip in try context.fetch(FetchDescriptor<TripsV2.Trip>(sortBy: order))
          where !seen.insert(trip.name).inserted {
            context.delete(trip)
          }
          try context.save()
        },
        didMigrate: { context in
          for trip in try context.fetch(FetchDescriptor<TripsV3.Trip>()) { trip.length = 7 }
        }
      ),
    ]
  }
}

/// What a stage throws that fails.
struct StageFailure: Error {}

/// A plan whose last stage fails when all else is done.
enum FailingPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self, TripsV3.self] }
  static var stages: [MigrationStage] {
    [
      .lightweight(fromVersion: TripsV1.self, toVersion: TripsV2.self),
      .custom(
        fromVersion: TripsV2.self,
        toVersion: TripsV3.self,
        willMigrate: nil,
        didMigrate: { context in
          for trip in try context.fetch(FetchDescriptor<TripsV3.Trip>()) { trip.length = 7 }
          try context.save()
          throw StageFailure()
        }
      ),
    ]
  }
}

/// From the second version back to the first, by a stage that the plan declares.
enum DowngradePlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { LightPlan.schemas }
  static var stages: [MigrationStage] {
    LightPlan.stages + [
      .custom(fromVersion: TripsV2.self, toVersion: TripsV1.self) { contexts in
        for old in try contexts.old.fetch(FetchDescriptor<TripsV2.Trip>()) {
          let new = contexts.new.model(for: old.persistentModelID) as? TripsV1.Trip
          new?.title = old.name + "!"
        }
      }
    ]
  }
}
