import OpenSwiftData

// Versions as they are on the way to versioned schemas: one declares its models, and what they refer
// to is outside of it.

/// A model outside of all versions, which refers to the newest stop.
@Model final class Guide {
  var name = "g"
  @Relationship(inverse: \Stop.guide) var stops: [Stop] = []

  init() {}
}

@Model final class Stop {
  var name = "new"
  var guide: Guide?

  init() {}
}

enum StopsV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Stop.self] }

  @Model final class Stop {
    var name = "old"
    // What it means is the guide of its own version; there is none.
    @Relationship(inverse: nil) var guide: Guide?

    init() {}
  }
}

enum StepsV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Walk.self] }

  @Model final class Walk {
    var name = "walk"
    init() {}
  }
}

enum StepsV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Walk.self] }

  @Model final class Walk {
    var name = "walk"
    var length = 7
    init() {}
  }
}

enum StepsV3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Walk.self] }

  @Model final class Walk {
    var name = "walk"
    var length = 7
    var height = 3
    init() {}
  }
}

enum UpPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [StepsV1.self, StepsV2.self] }
  static var stages: [MigrationStage] {
    [.lightweight(fromVersion: StepsV1.self, toVersion: StepsV2.self)]
  }
}

/// Its one stage migrates to an earlier version.
enum BackPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [StepsV1.self, StepsV2.self, StepsV3.self] }
  static var stages: [MigrationStage] {
    [.lightweight(fromVersion: StepsV2.self, toVersion: StepsV1.self)]
  }
}
