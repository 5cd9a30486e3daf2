import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("A version of a plan")
struct VersionTypeTests {
  @Test(arguments: StageStore.all, [true, false])
  func `is reached by its stage once, although it stores the same data`(
    _ kind: StageStore,
    isOpenedByTypes: Bool
  ) throws {
    for isWrittenByTypes in [true, false] {
      try runStage(StageFixture(kind), isWrittenByTypes, isOpenedByTypes)
    }
  }

  private func runStage(
    _ fixture: StageFixture,
    _ isWrittenByTypes: Bool,
    _ isOpenedByTypes: Bool
  ) throws {
    func schema(_ version: any VersionedSchema.Type, byTypes: Bool) -> Schema {
      byTypes ? Schema(version.models) : Schema(versionedSchema: version)
    }
    do {
      let context = ModelContext(try fixture.open(schema(Same1.self, byTypes: isWrittenByTypes)))
      context.insert(Same1.Trip("a"))
      try context.save()
    }
    for _ in 1...2 {
      let opened = try fixture.open(schema(Same2.self, byTypes: isOpenedByTypes), SamePlan.self)
      #expect(try ModelContext(opened).fetch(FetchDescriptor<Same2.Trip>()).map(\.name) == ["a!"])
    }
    // A program without the plan does not reset the version.
    _ = try fixture.open(Schema(Same2.models))
    let opened = try fixture.open(schema(Same2.self, byTypes: isOpenedByTypes), SamePlan.self)
    #expect(try ModelContext(opened).fetch(FetchDescriptor<Same2.Trip>()).map(\.name) == ["a!"])
  }

  @Test(arguments: StageStore.all)
  func `is the last one of those with the same types`(_ kind: StageStore) throws {
    let fixture = try StageFixture(kind)
    do {
      let context = ModelContext(try fixture.open(Schema([Shared.self])))
      context.insert(Shared("a"))
      try context.save()
    }
    for _ in 1...2 {
      let opened = try fixture.open(Schema([Shared.self]), SharedPlan.self)
      #expect(try ModelContext(opened).fetch(FetchDescriptor<Shared>()).map(\.name) == ["a?"])
    }
  }

  @Test(arguments: StageStore.all)
  func `may declare only the models that changed`(_ kind: StageStore) throws {
    let fixture = try StageFixture(kind)
    do {
      let context = ModelContext(try fixture.open(WholeFleet1.self))
      let ship = WholeFleet1.Ship("s")
      context.insert(ship)
      ship.sailors = [WholeFleet1.Sailor("x"), WholeFleet1.Sailor("y")]
      try context.save()
    }
    let container = try fixture.open(Schema([Ship.self, Sailor.self]), FleetPlan.self)
    let ships = try ModelContext(container).fetch(FetchDescriptor<Ship>())
    #expect(ships.map(\.title) == ["s"])
    #expect(ships.first?.sailors.map(\.name) == ["x", "y"])
    #expect(ships.first?.sailors.first?.ship === ships.first)
  }
}

private enum Same1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Trip.self] }

  @Model
  final class Trip {
    var name: String

    init(_ name: String) { self.name = name }
  }
}

private enum Same2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Trip.self] }

  @Model
  final class Trip {
    var name: String

    init(_ name: String) { self.name = name }
  }
}

private enum SamePlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [Same1.self, Same2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: Same1.self,
        toVersion: Same2.self,
        willMigrate: nil,
        didMigrate: { for trip in try $0.fetch(FetchDescriptor<Same2.Trip>()) { trip.name += "!" } }
      )
    ]
  }
}

@Model
private final class Shared {
  var name: String

  init(_ name: String) { self.name = name }
}

private enum Shared1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Shared.self] }
}

private enum Shared2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Shared.self] }
}

private enum SharedPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [Shared1.self, Shared2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: Shared1.self,
        toVersion: Shared2.self,
        willMigrate: nil,
        didMigrate: { for each in try $0.fetch(FetchDescriptor<Shared>()) { each.name += "?" } }
      )
    ]
  }
}

/// The models as the first version of the program had them.
private enum WholeFleet1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Ship.self, Sailor.self] }

  @Model
  final class Ship {
    var name: String
    var sailors: [Sailor] = []

    init(_ name: String) { self.name = name }
  }

  @Model
  final class Sailor {
    var name: String
    var ship: Ship?

    init(_ name: String) { self.name = name }
  }
}

/// The same version as the plan declares it: only the model that changed.
private enum Fleet1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Ship.self, Sailor.self] }

  @Model
  final class Ship {
    var name: String
    var sailors: [Sailor] = []

    init(_ name: String) { self.name = name }
  }
}

private enum Fleet2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Ship.self, Sailor.self] }
}

@Model
private final class Ship {
  @Attribute(originalName: "name") var title: String
  var sailors: [Sailor] = []

  init(_ title: String) { self.title = title }
}

@Model
private final class Sailor {
  var name: String
  var ship: Ship?

  init(_ name: String) { self.name = name }
}

private enum FleetPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [Fleet1.self, Fleet2.self] }
  static var stages: [MigrationStage] {
    [.lightweight(fromVersion: Fleet1.self, toVersion: Fleet2.self)]
  }
}
