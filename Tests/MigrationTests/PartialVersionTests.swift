import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

/// Plans whose versions declare only the models that changed, with stages that read the others.
@Suite("A version with models of later versions") struct PartialVersionTests {
  private func fixture(_ kind: StageStore) throws -> StageFixture {
    let fixture = try StageFixture(kind)
    let context = ModelContext(try fixture.open(WholePort1.self))
    let vessel = WholePort1.Vessel("v")
    context.insert(vessel)
    let pilot = WholePort1.Pilot("p")
    pilot.vessel = vessel
    pilot.vessels = [vessel]
    pilot.badge = WholePort1.PilotBadge(7)
    context.insert(pilot)
    try context.save()
    return fixture
  }

  @Test(arguments: StageStore.all)
  func `is migrated by a plan`(_ kind: StageStore) throws {
    let schema = Schema([Vessel.self, Pilot.self, PilotBadge.self])
    for (plan, title) in [(PortPlan.self, "v"), (PortPlanWithCode.self, "v!")]
      as [(any SchemaMigrationPlan.Type, String)]
    {
      let fixture = try fixture(kind)
      for _ in 1...2 {
        let container = try fixture.open(schema, plan)
        let pilots = try ModelContext(container).fetch(FetchDescriptor<Pilot>())
        #expect(pilots.map(\.name) == ["p"])
        #expect(pilots.first?.vessel?.title == title)
        #expect(pilots.first?.vessels.map(\.title) == [title])
        #expect(pilots.first?.badge?.number == 7)
        #expect(pilots.first?.vessel?.pilots.map(\.name) == ["p"])
        try fixture.check(container)
      }
    }
  }

  /// Its objects would refer to objects of other types than their properties have.
  @Test(arguments: StageStore.all)
  func `has no objects for the code of a stage, which the error says`(_ kind: StageStore) throws {
    let fixture = try fixture(kind)
    let schema = Schema([Vessel.self, Pilot.self, PilotBadge.self])
    let error = #expect(throws: SwiftDataError.self) {
      try fixture.open(schema, PortPlanWithOldObjects.self)
    }
    let text = try #require(error.map { "\($0)" })
    #expect(text.contains("declare in each version all models that refer to each other"))
    #expect(text.contains("Port1.Vessel") && text.contains("Pilot.vessel"))
    // Nothing was changed.
    let container = try fixture.open(schema, PortPlan.self)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Vessel>()).map(\.title) == ["v"])
  }
}

private enum WholePort1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Vessel.self, Pilot.self, PilotBadge.self] }

  @Model
  final class Vessel {
    var name: String
    @Relationship(inverse: \Pilot.vessel) var pilots: [Pilot] = []
    @Relationship(inverse: \Pilot.vessels) var friends: [Pilot] = []

    init(_ name: String) { self.name = name }
  }

  @Model
  final class Pilot {
    var name: String
    var vessel: Vessel?
    var vessels: [Vessel] = []
    @Relationship(inverse: nil) var badge: PilotBadge?

    init(_ name: String) { self.name = name }
  }

  @Model
  final class PilotBadge {
    var number: Int

    init(_ number: Int) { self.number = number }
  }
}

/// The same version as the plan declares it.
private enum Port1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] {
    [Port1.Vessel.self, Pilot.self, PilotBadge.self]
  }

  @Model
  final class Vessel {
    var name: String
    @Relationship(inverse: \Pilot.vessel) var pilots: [Pilot] = []
    @Relationship(inverse: \Pilot.vessels) var friends: [Pilot] = []

    init(_ name: String) { self.name = name }
  }
}

private enum Port2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] {
    [OpenSwiftDataVessel.self, Pilot.self, PilotBadge.self]
  }
}

private typealias OpenSwiftDataVessel = Vessel

@Model
private final class Vessel {
  @Attribute(originalName: "name") var title: String
  @Relationship(inverse: \Pilot.vessel) var pilots: [Pilot] = []
  @Relationship(inverse: \Pilot.vessels) var friends: [Pilot] = []

  init(_ title: String) { self.title = title }
}

@Model
private final class Pilot {
  var name: String
  var vessel: Vessel?
  var vessels: [Vessel] = []
  @Relationship(inverse: nil) var badge: PilotBadge?

  init(_ name: String) { self.name = name }
}

@Model
private final class PilotBadge {
  var number: Int

  init(_ number: Int) { self.number = number }
}

private enum PortPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [Port1.self, Port2.self] }
  static var stages: [MigrationStage] {
    [.lightweight(fromVersion: Port1.self, toVersion: Port2.self)]
  }
}

private enum PortPlanWithCode: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [Port1.self, Port2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: Port1.self,
        toVersion: Port2.self,
        willMigrate: nil,
        didMigrate: { context in
          let pilots = try context.fetch(FetchDescriptor<Pilot>())
          #expect(pilots.first?.vessel?.title == "v" && pilots.first?.badge?.number == 7)
          for vessel in try context.fetch(FetchDescriptor<Vessel>()) { vessel.title += "!" }
        }
      )
    ]
  }
}

private enum PortPlanWithOldObjects: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [Port1.self, Port2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(fromVersion: Port1.self, toVersion: Port2.self) { contexts in
        _ = try contexts.old.fetch(FetchDescriptor<Pilot>())
      }
    ]
  }
}
