import OpenSwiftData

/// The models of README: a list without an inverse.
enum FirstLook: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Trip.self, Stop.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }

  @Model
  final class Trip {
    @Attribute(.unique) var name: String
    @Relationship(deleteRule: .cascade) var stops: [Stop] = []

    init(_ name: String) { self.name = name }
  }

  @Model
  final class Stop {
    var place: String

    init(_ place: String) { self.place = place }
  }
}

/// The models of the guides: the list has an inverse.
enum GuideLook: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Trip.self, Stop.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }

  @Model
  final class Trip {
    @Attribute(.unique) var name: String
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []

    init(_ name: String) { self.name = name }
  }

  @Model
  final class Stop {
    var place: String
    var trip: Trip?

    init(_ place: String) { self.place = place }
  }
}

/// The list becomes a relationship to one, which only code can decide.
enum SingleLook: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Trip.self, Stop.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }

  @Model
  final class Trip {
    @Attribute(.unique) var name: String
    var stops: Stop?

    init(_ name: String) { self.name = name }
  }

  @Model
  final class Stop {
    var place: String

    init(_ place: String) { self.place = place }
  }
}

/// Adds the inverse without code.
enum LightLook: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [FirstLook.self, GuideLook.self] }
  static var stages: [MigrationStage] { [] }
}

/// Adds the inverse in a stage with code that is about something else.
enum CodedLook: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { LightLook.schemas }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: FirstLook.self,
        toVersion: GuideLook.self,
        willMigrate: nil,
        didMigrate: { _ in }
      )
    ]
  }
}

/// Makes the list a relationship to one in a stage whose code does not set it.
enum ForgetfulLook: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [FirstLook.self, SingleLook.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: FirstLook.self,
        toVersion: SingleLook.self,
        willMigrate: nil,
        didMigrate: { _ in }
      )
    ]
  }
}

/// Makes the list a relationship to one in a stage whose code sets it to the first object.
enum MindfulLook: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { ForgetfulLook.schemas }
  static var stages: [MigrationStage] {
    [
      .custom(fromVersion: FirstLook.self, toVersion: SingleLook.self) { contexts in
        let stops = try contexts.new.fetch(FetchDescriptor<SingleLook.Stop>())
        let trips = try contexts.new.fetch(FetchDescriptor<SingleLook.Trip>())
        for old in try contexts.old.fetch(FetchDescriptor<FirstLook.Trip>()) {
          let first = old.stops.first?.place
          trips.first { $0.name == old.name }?.stops = stops.first { $0.place == first }
        }
      }
    ]
  }
}
