import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("A store of the first version")
struct PlanTests {
  private func expectSecond(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    let trips = try context.fetch(FetchDescriptor<TripsV2.Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.name) == ["a", "b"])
    #expect(trips.map(\.cost) == [1, 2])
    #expect(trips.map(\.rating) == [3, 3])
    #expect(trips.map(\.photo) == [TripFixture.photo, nil])
    #expect(trips.map { $0.stops.map(\.name) } == [["z", "y", "x"], ["z", "y", "x"]])
    #expect(trips.map { $0.tags.map(\.name) } == [["t"], ["t"]])
    #expect(try context.fetch(FetchDescriptor<TripsV2.Animal>()).map(\.name) == ["rex"])
    #expect(try context.fetch(FetchDescriptor<TripsV2.Dog>()).map(\.age) == [4])
  }

  private func expectThird(_ container: ModelContainer, lengths: [Int]) throws {
    let context = ModelContext(container)
    let trips = try context.fetch(FetchDescriptor<TripsV3.Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.name) == ["a", "b"])
    #expect(trips.map(\.length) == lengths)
    #expect(trips.map(\.photo) == [TripFixture.photo, nil])
    #expect(trips.first?.stops.map(\.name) == ["z", "y", "x"])
    #expect(trips.first?.tags.first?.trips.count == 2)
    #expect(try context.fetch(FetchDescriptor<TripsV3.Animal>()).map(\.age) == [4])
    context.insert(TripsV3.Trip(name: "a", length: 9))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<TripsV3.Trip>()) == 2)
  }

  @Test(arguments: EveryStore.migrating)
  func `opens with the second version without a plan`(_ kind: EveryStore) throws {
    let fixture = try TripFixture(kind)
    try expectSecond(fixture.open(TripsV2.self))
    let container = try fixture.open(TripsV2.self)
    try expectSecond(container)
    try fixture.checkFiles(container)
  }

  @Test(arguments: EveryStore.migrating)
  func `opens with the second version and a plan without code`(_ kind: EveryStore) throws {
    let fixture = try TripFixture(kind)
    try expectSecond(fixture.open(TripsV2.self, LightPlan.self))
    let container = try fixture.open(TripsV2.self, LightPlan.self)
    try expectSecond(container)
    try fixture.checkFiles(container)
  }

  @Test(arguments: EveryStore.migrating)
  func `opens with the third version and code that reads both versions`(_ kind: EveryStore) throws {
    let fixture = try TripFixture(kind)
    try expectThird(fixture.open(TripsV3.self, TripPlan.self), lengths: [5, 6])
    try fixture.checkFiles(fixture.open(TripsV3.self, TripPlan.self))
  }

  @Test(arguments: EveryStore.migrating)
  func `opens with the third version and code before and after a stage`(_ kind: EveryStore) throws {
    let fixture = try TripFixture(kind, titles: ["a", "b", "a"])
    let container = try fixture.open(TripsV3.self, StepwisePlan.self)
    let context = ModelContext(container)
    let trips = try context.fetch(FetchDescriptor<TripsV3.Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.name) == ["a", "b"])
    #expect(trips.map(\.length) == [7, 7])
    #expect(try context.fetchCount(FetchDescriptor<TripsV3.Stop>()) == 6)
    try fixture.checkFiles(container)
  }

  @Test(arguments: EveryStore.migrating)
  func `migrates to the second version and then to the third`(_ kind: EveryStore) throws {
    let fixture = try TripFixture(kind)
    _ = try fixture.open(TripsV2.self, LightPlan.self)
    try expectThird(fixture.open(TripsV3.self, TripPlan.self), lengths: [5, 6])
  }

  @Test(arguments: EveryStore.migrating)
  func `is unchanged if a stage fails`(_ kind: EveryStore) throws {
    let fixture = try TripFixture(kind)
    #expect(throws: StageFailure.self) { try fixture.open(TripsV3.self, FailingPlan.self) }
    let container = try fixture.open(TripsV1.self)
    let context = ModelContext(container)
    #expect(try context.fetchCount(FetchDescriptor<TripsV1.Trip>()) == 2)
    #expect(try context.fetch(FetchDescriptor<TripsV1.Dog>()).map(\.age) == [4])
    try fixture.checkFiles(container)
  }

  @Test(arguments: EveryStore.migrating)
  func `is unchanged if rows violate the new schema`(_ kind: EveryStore) throws {
    let fixture = try TripFixture(kind, titles: ["a", "a"])
    let error = try #require(throws: DataStoreError.self) {
      try fixture.open(TripsV3.self, TripPlan.self)
    }
    #expect(error == .schemaMismatch)
    #expect(error.entity == "Trip" && error.property == "name")
    try fixture.checkFiles(fixture.open(TripsV1.self))
  }

  @Test(arguments: EveryStore.migrating)
  func `requires a plan if the type of a property changes`(_ kind: EveryStore) throws {
    let fixture = try TripFixture(kind)
    let error = try #require(throws: DataStoreError.self) { try fixture.open(TripsV3.self) }
    #expect(error == .schemaMismatch)
    #expect(error.message.contains(Schema(versionedSchema: TripsV3.self).storeSchema.fingerprint))
    #expect(error.message.contains("string becomes int64"))
  }

  @Test(arguments: EveryStore.migrating)
  func `is refused by an older program after its migration`(_ kind: EveryStore) throws {
    let fixture = try TripFixture(kind)
    _ = try fixture.open(TripsV3.self, TripPlan.self)
    #expect(throws: SwiftDataError.backwardMigration) {
      try fixture.open(TripsV2.self, TripPlan.self)
    }
    let error = #expect(throws: DataStoreError.self) { try fixture.open(TripsV2.self) }
    #expect(error == .storeTooNew)
    #expect(error?.message.contains("update the program; nothing was changed; from 3.0.0") == true)
    try fixture.checkFiles(fixture.open(TripsV3.self))
  }

  @Test(arguments: EveryStore.migrating)
  func `returns to an earlier version by a stage that the plan declares`(
    _ kind: EveryStore
  ) throws {
    let fixture = try TripFixture(kind)
    _ = try fixture.open(TripsV2.self, DowngradePlan.self)
    #expect(throws: SwiftDataError.backwardMigration) {
      try fixture.open(TripsV1.self, LightPlan.self)
    }
    let container = try fixture.open(TripsV1.self, DowngradePlan.self)
    let trips = try ModelContext(container).fetch(
      FetchDescriptor<TripsV1.Trip>(sortBy: [SortDescriptor(\.title)])
    )
    #expect(trips.map(\.title) == ["a!", "b!"])
    try fixture.checkFiles(container)
    // The same plan migrates forward again.
    _ = try fixture.open(TripsV2.self, DowngradePlan.self)
  }

  @Test(arguments: EveryStore.migrating)
  func `is refused by a plan without its version`(_ kind: EveryStore) throws {
    let fixture = try TripFixture(kind)
    let error = try #require(throws: SwiftDataError.self) {
      try fixture.open(TripsV3.self, LatePlan.self)
    }
    #expect(error == .unknownSchema)
    #expect(error.message.contains("Trip.name: renamed from title"))
  }

  @Test(arguments: EveryStore.migrating)
  func `is unchanged if the task is cancelled`(_ kind: EveryStore) async throws {
    let fixture = try TripFixture(kind)
    for plan in [TripPlan.self, LightPlan.self] as [any SchemaMigrationPlan.Type] {
      let target: any VersionedSchema.Type = plan == LightPlan.self ? TripsV2.self : TripsV3.self
      let task = Task {
        let options = MigrationOptions { _ in withUnsafeCurrentTask { $0?.cancel() } }
        _ = try fixture.open(target, plan, options)
      }
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    try fixture.checkFiles(fixture.open(TripsV1.self))
  }

  @Test(arguments: EveryStore.migrating, [true, false])
  func `reports progress that never decreases`(
    _ kind: EveryStore,
    hasCode: Bool
  ) throws {
    let fixture = try TripFixture(kind)
    let seen = Seen()
    let options = MigrationOptions { seen.add($0) }
    if hasCode {
      _ = try fixture.open(TripsV3.self, TripPlan.self, options)
    } else {
      _ = try fixture.open(TripsV2.self, LightPlan.self, options)
    }
    let all = seen.all
    #expect(all.count > 1 && all.last?.fraction == 1)
    #expect(all.allSatisfy { $0.rows <= $0.totalRows && $0.number <= $0.count })
    for (one, next) in zip(all, all.dropFirst()) {
      #expect(one.fraction <= next.fraction)
      #expect((one.number, one.rows) <= (next.number, next.rows))
    }
    // The first report is the start.
    #expect((all.first?.fraction ?? 1) < 1)
  }

  @Test(arguments: EveryStore.files)
  func `reports progress if it is opened by a store URL`(_ kind: EveryStore) throws {
    let fixture = try TripFixture(kind)
    let seen = Seen()
    let scheme = kind == .json ? "json" : "sqlite"
    let file = fixture.folder.file(kind == .json ? "store.json" : "store.db")
    _ = try ModelContainer(
      for: Schema(versionedSchema: TripsV3.self),
      migrationPlan: TripPlan.self,
      migrationOptions: MigrationOptions { seen.add($0) },
      store: "\(scheme):\(file.path)"
    )
    #expect(seen.steps == ["1.0.0 → 2.0.0", "2.0.0 → 3.0.0"])
  }

  @Test(arguments: EveryStore.files)
  func `reports each step, and is backed up on request`(_ kind: EveryStore) throws {
    let fixture = try TripFixture(kind)
    let seen = Seen()
    let options = MigrationOptions(backupFolder: fixture.folder.file("backups")) { seen.add($0) }
    _ = try fixture.open(TripsV3.self, TripPlan.self, options)
    #expect(seen.steps == ["1.0.0 → 2.0.0", "2.0.0 → 3.0.0"])
    #expect(seen.last?.fraction == 1)
    let names = try FileManager.default.contentsOfDirectory(
      atPath: fixture.folder.file("backups").path
    )
    #expect(names.contains("store 1.0.0"))
  }
}

/// A plan with only the later versions.
enum LatePlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [TripsV2.self, TripsV3.self] }
  static var stages: [MigrationStage] { [] }
}
