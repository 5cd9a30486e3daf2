import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("The code of a stage")
struct StageCodeTests {
  private func fixture(_ kind: StageStore) throws -> StageFixture {
    let fixture = try StageFixture(kind)
    let context = ModelContext(try fixture.open(Pace1.self))
    for (name, low) in [("1", 1), ("2", 3)] {
      context.insert(Pace1.Plan(name, Pace1.Kind(low: low)))
    }
    try context.save()
    return fixture
  }

  private func expectUnchanged(_ fixture: StageFixture) throws {
    let context = ModelContext(try fixture.open(Pace1.self))
    let plans = try context.fetch(FetchDescriptor<Pace1.Plan>(sortBy: [SortDescriptor(\.name)]))
    #expect(plans.map(\.kind.low) == [1, 3])
  }

  @Test(arguments: StageStore.all, [true, false])
  func `sets values that could not be read`(_ kind: StageStore, byIdentifier: Bool) throws {
    let fixture = try fixture(kind)
    let plan: any SchemaMigrationPlan.Type =
      byIdentifier ? SettingByIdentifier.self : SettingFetched.self
    let container = try fixture.open(Pace2.self, plan)
    let order = [SortDescriptor(\Pace2.Plan.name)]
    let plans = try ModelContext(container).fetch(FetchDescriptor(sortBy: order))
    #expect(plans.map(\.kind.low) == [10, 20])
  }

  @Test(arguments: StageStore.all)
  func `fails if it sets a value after it read a placeholder`(_ kind: StageStore) throws {
    let fixture = try fixture(kind)
    let error = try #require(throws: SwiftDataError.self) {
      try fixture.open(Pace2.self, ReadingFirst.self)
    }
    #expect(error.entity == "Plan" && error.property == "kind")
    let cause = try #require(error.cause as? DataStoreError)
    #expect(cause.description.contains("Plan/1 has a composite value, (low: 1), where Kind is"))
    #expect(cause.message.contains("custom stage of a migration plan"))
    #expect(cause.identifiers.count == 1)
    try expectUnchanged(fixture)
  }

  @Test(arguments: StageStore.all)
  func `fails if it reads an old value that its own type refuses`(_ kind: StageStore) throws {
    let fixture = try fixture(kind)
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try fixture.open(Pace2.self, MisreadingOld.self)
    }
    try expectUnchanged(fixture)
  }

  @Test(arguments: StageStore.all)
  func `is followed by errors that name the row of a value that it left`(
    _ kind: StageStore
  ) throws {
    let fixture = try fixture(kind)
    let context = ModelContext(try fixture.open(Pace2.self, Leaving.self))
    let error = try #require(throws: DataStoreError.self) {
      try context.fetch(FetchDescriptor<Pace2.Plan>())
    }
    #expect(error.description.hasPrefix("Plan.kind: Plan/1 has a composite value, (low: 1), where"))
  }

  @Test(arguments: StageStore.all)
  func `leaves objects that report an unreadable value when it is read, and can be set`(
    _ kind: StageStore
  ) throws {
    let fixture = try fixture(kind)
    let container = try fixture.open(Pace2.self, Leaving.self)
    let identifiers = try ModelContext(container).fetchIdentifiers(
      FetchDescriptor<Pace2.Plan>(sortBy: [SortDescriptor(\.name)])
    )
    let context = ModelContext(container)
    let plan = try #require(context.model(for: identifiers[0]) as? Pace2.Plan)
    #expect(plan.lifeCycle == .registered && plan.name == "1" && !context.hasChanges)
    _ = plan.kind
    #expect(context.hasChanges)
    let error = try #require(throws: SwiftDataError.self) { try context.save() }
    #expect(error.property == "kind" && error.message.contains("Plan/1"))
    #expect(!context.hasChanges)
    plan.kind = Pace2.Kind(low: 7, isFast: true)
    #expect(plan.hasChanges && context.hasChanges)
    try context.save()
    let other = try #require(context.model(for: identifiers[1]) as? Pace2.Plan)
    other.kind = Pace2.Kind(low: 8, isFast: true)
    context.rollback()
    other.kind = Pace2.Kind(low: 9, isFast: false)
    try context.save()
    let order = [SortDescriptor(\Pace2.Plan.name)]
    let plans = try ModelContext(container).fetch(FetchDescriptor(sortBy: order))
    #expect(plans.map(\.kind.low) == [7, 9])
  }

  @Test(arguments: StageStore.all)
  func `reads an old object with a batch of a fetch, and can set it`(_ kind: StageStore) throws {
    let fixture = try fixture(kind)
    let context = ModelContext(try fixture.open(Pace2.self, Leaving.self))
    let order = [SortDescriptor(\Pace2.Plan.name)]
    for plan in try context.fetch(FetchDescriptor<Pace2.Plan>(sortBy: order), batchSize: 1) {
      plan.kind = Pace2.Kind(low: 5, isFast: true)
    }
    #expect(context.hasChanges)
    try context.save()
    let plans = try ModelContext(context.container).fetch(FetchDescriptor<Pace2.Plan>())
    #expect(plans.map(\.kind.low) == [5, 5])
  }
}

private enum Pace1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Plan.self] }

  struct Kind: Codable { var low = 0 }

  @Model
  final class Plan {
    var name: String
    var kind: Kind

    init(_ name: String, _ kind: Kind) {
      self.name = name
      self.kind = kind
    }
  }
}

private enum Pace2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Plan.self] }

  struct Kind: Codable {
    var low = 0
    var isFast: Bool
  }

  @Model
  final class Plan {
    var name: String
    @Attribute(hashModifier: "2") var kind: Kind

    init(_ name: String, _ kind: Kind) {
      self.name = name
      self.kind = kind
    }
  }
}

private protocol PacePlan: SchemaMigrationPlan {
  static func migrate(_ contexts: MigrationContexts) throws
}

extension PacePlan {
  static var schemas: [any VersionedSchema.Type] { [Pace1.self, Pace2.self] }
  static var stages: [MigrationStage] {
    [.custom(fromVersion: Pace1.self, toVersion: Pace2.self) { try migrate($0) }]
  }

  static func forEach(
    in contexts: MigrationContexts,
    _ body: (Pace1.Plan, Pace2.Plan) -> Void
  ) throws {
    for old in try contexts.old.fetch(FetchDescriptor<Pace1.Plan>()) {
      body(old, try #require(contexts.new.model(for: old.persistentModelID) as? Pace2.Plan))
    }
  }
}

private enum SettingByIdentifier: PacePlan {
  static func migrate(_ contexts: MigrationContexts) throws {
    try forEach(in: contexts) { old, new in
      new.kind = Pace2.Kind(low: old.kind.low == 1 ? 10 : 20, isFast: false)
      #expect(new.lifeCycle == .changed && contexts.new.hasChanges)
    }
  }
}

private enum SettingFetched: PacePlan {
  static func migrate(_ contexts: MigrationContexts) throws {
    for new in try contexts.new.fetch(FetchDescriptor<Pace2.Plan>()) {
      new.kind = Pace2.Kind(low: new.name == "1" ? 10 : 20, isFast: false)
    }
    for new in try contexts.new.fetch(FetchDescriptor<Pace2.Plan>()) { #expect(new.hasChanges) }
  }
}

private enum ReadingFirst: PacePlan {
  static func migrate(_ contexts: MigrationContexts) throws {
    try forEach(in: contexts) { old, new in
      _ = new.kind
      new.kind = Pace2.Kind(low: 10, isFast: false)
    }
  }
}

private enum MisreadingOld: PacePlan {
  static func migrate(_ contexts: MigrationContexts) throws {
    try forEach(in: contexts) { _, new in new.kind = Pace2.Kind(low: 10, isFast: false) }
  }

  static var schemas: [any VersionedSchema.Type] { [Pace1.self, Misread.self, Pace2.self] }
  static var stages: [MigrationStage] {
    [
      .lightweight(fromVersion: Pace1.self, toVersion: Misread.self),
      .custom(fromVersion: Misread.self, toVersion: Pace2.self) { contexts in
        for old in try contexts.old.fetch(FetchDescriptor<Misread.Plan>()) {
          let new = contexts.new.model(for: old.persistentModelID) as? Pace2.Plan
          new?.kind = Pace2.Kind(low: old.kind.high, isFast: true)
        }
      },
    ]
  }
}

/// A version whose type differs from what is stored.
private enum Misread: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 5, 0) }
  static var models: [any PersistentModel.Type] { [Plan.self] }

  struct Kind: Codable { var high = 0 }

  @Model
  final class Plan {
    var name: String
    @Attribute(hashModifier: "1.5") var kind: Kind

    init(_ name: String, _ kind: Kind) {
      self.name = name
      self.kind = kind
    }
  }
}

private enum Leaving: PacePlan {
  static func migrate(_ contexts: MigrationContexts) throws {}
}
