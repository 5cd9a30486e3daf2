import Foundation
import OpenSwiftData
import StoreTestSupport
import Synchronization
import Testing

@Suite("The rules of a version that a stage leads to")
struct StageRuleTests {
  private func fixture(_ kind: StageStore) throws -> StageFixture {
    let fixture = try StageFixture(kind)
    let context = ModelContext(try fixture.open(Car1.self))
    for plate in ["1", "2"] { context.insert(Car1.Car(plate)) }
    try context.save()
    return fixture
  }

  private func expectUnchanged(_ fixture: StageFixture) throws {
    let container = try fixture.open(Car1.self)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Car1.Car>()) == 2)
    try fixture.check(container)
  }

  @Test(arguments: StageStore.all, [true, false])
  func `apply after its code has set a unique value without a default`(
    _ kind: StageStore,
    hasBoth: Bool
  ) throws {
    let fixture = try fixture(kind)
    let container = try fixture.open(
      CarUnique.self,
      hasBoth ? UniqueInMigrate.self : UniqueInDidMigrate.self
    )
    let cars = try ModelContext(container).fetch(FetchDescriptor<CarUnique.Car>())
    #expect(Set(cars.map(\.uuid)).count == 2)
    #expect(Set(cars.map(\.number)) == [1, 2])
    try fixture.check(container)
    // The rule holds from now on.
    let context = ModelContext(container)
    let copy = CarUnique.Car("3")
    copy.uuid = cars[0].uuid
    context.insert(copy)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<CarUnique.Car>()) == 2)
  }

  @Test(arguments: StageStore.all, [true, false])
  func `apply after its code has set a required object`(
    _ kind: StageStore,
    hasBoth: Bool
  ) throws {
    let fixture = try fixture(kind)
    let container = try fixture.open(
      CarEngine.self,
      hasBoth ? EngineInMigrate.self : EngineInDidMigrate.self
    )
    let cars = try ModelContext(container).fetch(FetchDescriptor<CarEngine.Car>())
    #expect(
      cars.map { "\($0.plate) \($0.engine.power) \($0.size.low)" }.sorted() == ["1 5 3", "2 5 3"]
    )
    #expect(Set(cars.map(\.engine.persistentModelID)).count == 2)
    try fixture.check(container)
  }

  @Test(arguments: StageStore.all)
  func `refuse a row for which its code set no object`(_ kind: StageStore) throws {
    let fixture = try fixture(kind)
    let error = try #require(throws: DataStoreError.self) {
      try fixture.open(CarEngine.self, SomeEngines.self)
    }
    #expect(error == .schemaMismatch)
    #expect(error.entity == "Car" && error.property == "engine" && error.identifiers.count == 1)
    #expect(error.message.contains("set it for each object in the stage's migrate or didMigrate"))
    try expectUnchanged(fixture)
  }

  @Test(arguments: StageStore.files)
  func `refuse equal values that its code set`(_ kind: StageStore) throws {
    let fixture = try fixture(kind)
    let error = try #require(throws: DataStoreError.self) {
      try fixture.open(CarUnique.self, EqualNumbers.self)
    }
    #expect(error == .schemaMismatch && error.entity == "Car")
    try expectUnchanged(fixture)
    let rehearsal = try EqualNumbers.rehearse(
      on: fixture.configuration(Schema(versionedSchema: CarUnique.self))
    )
    #expect(!rehearsal.succeeds && rehearsal.violations.count == 2)
    #expect(Set(rehearsal.violations.map(\.properties)) == [["number"], ["uuid"]])
  }

  @Test(arguments: StageStore.all)
  func `are satisfied by a default that differs from row to row`(_ kind: StageStore) throws {
    let fixture = try fixture(kind)
    let container = try fixture.open(CarDefault.self)
    let cars = try ModelContext(container).fetch(FetchDescriptor<CarDefault.Car>())
    #expect(Set(cars.map(\.uuid)).count == 2)
    #expect(Set(cars.map(\.other)).count == 2)
    #expect(cars.allSatisfy { $0.label.hasPrefix("car ") } && Set(cars.map(\.label)).count == 2)
    try fixture.check(container)
    let again = try ModelContext(fixture.open(CarDefault.self))
    let uuids = try again.fetch(FetchDescriptor<CarDefault.Car>()).map(\.uuid)
    #expect(Set(uuids) == Set(cars.map(\.uuid)))
  }

  @Test(arguments: StageStore.all)
  func `are satisfied by a default that often repeats its value`(_ kind: StageStore) throws {
    let fixture = try fixture(kind)
    let old = ModelContext(try fixture.open(Car1.self))
    for number in 3...60 { old.insert(Car1.Car("\(number)")) }
    try old.save()
    try old.container.close()
    let context = try ModelContext(fixture.open(CarRandom.self))
    let cars = try context.fetch(FetchDescriptor<CarRandom.Car>())
    #expect(cars.count == 60)
    #expect(Set(cars.map(\.isRed)) == [true, false])
    #expect(Set(cars.map(\.row)).count > 2)
    #expect(Set(cars.map(\.wheels)) == [4])
  }
}

private enum Car1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Car.self] }

  @Model
  final class Car {
    var plate: String

    init(_ plate: String) { self.plate = plate }
  }
}

private enum CarUnique: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Car.self] }

  @Model
  final class Car {
    var plate: String
    @Attribute(.unique) var uuid: UUID
    @Attribute(.unique) var number: Int = 7

    init(_ plate: String) {
      self.plate = plate
      uuid = UUID()
    }
  }
}

private enum CarEngine: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Car.self, Engine.self] }

  struct Size: Codable { var low: Int }

  @Model
  final class Car {
    var plate: String
    var engine: Engine
    var size: Size

    init(_ plate: String, _ engine: Engine) {
      self.plate = plate
      self.engine = engine
      size = Size(low: 1)
    }
  }

  @Model
  final class Engine {
    var power: Int = 5

    init() {}
  }
}

private enum CarDefault: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Car.self] }

  @Model
  final class Car {
    var plate: String
    @Attribute(.unique) var uuid: UUID = UUID()
    var other: UUID? = UUID()
    @Attribute(.unique) var label: String = "car \(Int.random(in: 0...Int.max))"

    init(_ plate: String) { self.plate = plate }
  }
}

private enum CarRandom: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Car.self] }
  private static let evaluations = Atomic(0)

  /// A number that returns eight times before the next one.
  static func nextRow() -> Int { evaluations.add(1, ordering: .relaxed).newValue / 8 }

  @Model
  final class Car {
    var plate: String
    var isRed: Bool = Bool.random()
    var row: Int = CarRandom.nextRow()
    var wheels: Int = 4

    init(_ plate: String) { self.plate = plate }
  }
}

private protocol CarPlan: SchemaMigrationPlan {
  associatedtype Target: VersionedSchema
  static var hasBoth: Bool { get }
  static func set(_ context: ModelContext) throws
}

extension CarPlan {
  static var hasBoth: Bool { false }
  static var schemas: [any VersionedSchema.Type] { [Car1.self, Target.self] }
  static var stages: [MigrationStage] {
    hasBoth
      ? [.custom(fromVersion: Car1.self, toVersion: Target.self) { try set($0.new) }]
      : [
        .custom(
          fromVersion: Car1.self,
          toVersion: Target.self,
          willMigrate: nil,
          didMigrate: { try set($0) }
        )
      ]
  }
}

private enum UniqueInMigrate: CarPlan {
  typealias Target = CarUnique
  static var hasBoth: Bool { true }
  static func set(_ context: ModelContext) throws { try UniqueInDidMigrate.set(context) }
}

private enum UniqueInDidMigrate: CarPlan {
  typealias Target = CarUnique
  static func set(_ context: ModelContext) throws {
    for (index, car) in try context.fetch(FetchDescriptor<CarUnique.Car>()).enumerated() {
      car.uuid = UUID()
      // A save between two objects finds values that are still equal.
      try context.save()
      car.number = index + 1
    }
  }
}

private enum EqualNumbers: CarPlan {
  typealias Target = CarUnique
  static func set(_ context: ModelContext) throws {
    let uuid = UUID()
    for car in try context.fetch(FetchDescriptor<CarUnique.Car>()) {
      (car.uuid, car.number) = (uuid, 3)
    }
  }
}

private enum EngineInMigrate: CarPlan {
  typealias Target = CarEngine
  static var hasBoth: Bool { true }
  static func set(_ context: ModelContext) throws { try EngineInDidMigrate.set(context) }
}

private enum EngineInDidMigrate: CarPlan {
  typealias Target = CarEngine
  static func set(_ context: ModelContext) throws {
    for car in try context.fetch(FetchDescriptor<CarEngine.Car>()) {
      car.size = CarEngine.Size(low: 3)
      try context.save()
      car.engine = CarEngine.Engine()
    }
  }
}

private enum SomeEngines: CarPlan {
  typealias Target = CarEngine
  static func set(_ context: ModelContext) throws {
    for car in try context.fetch(FetchDescriptor<CarEngine.Car>()) {
      car.size = CarEngine.Size(low: 3)
      if car.plate == "1" { car.engine = CarEngine.Engine() }
    }
  }
}
