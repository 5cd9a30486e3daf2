import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Incompatible schemas and migration plans")
struct MixedVersionTests {
  @Test func `two model types of one name are an error that names the path to the second`() throws {
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Schema(versionedSchema: StopsV1.self), store: "memory:")
    }
    let message = try #require(error).description
    #expect(message.contains("two model types have this name"))
    #expect(message.contains("StopsV1.Stop"))
    #expect(message.contains("reached through OpenSwiftDataTests.Guide.stops"))
    #expect(message.contains("declare in each version all models that refer to each other"))
    #expect(message.components(separatedBy: "two model types").count == 2)
  }

  private func open(
    _ version: any VersionedSchema.Type,
    _ plan: any SchemaMigrationPlan.Type,
    _ store: String
  ) throws -> ModelContainer {
    try ModelContainer(for: Schema(versionedSchema: version), migrationPlan: plan, store: store)
  }

  @Test(arguments: [EveryStore.sqlite, .json])
  func `a store newer than the program's schema is an error that names both versions`(
    kind: EveryStore
  ) throws {
    let folder = try TemporaryFolder()
    let url = kind.url(in: folder)
    do {
      let context = ModelContext(try open(StepsV2.self, UpPlan.self, url))
      context.insert(StepsV2.Walk())
      try context.save()
    }
    for plan in [UpPlan.self, BackPlan.self] as [any SchemaMigrationPlan.Type] {
      let error = #expect(throws: SwiftDataError.self) {
        try open(StepsV1.self, plan, url)
      }
      let message = try #require(error).description
      #expect(message.contains("has version 2.0.0"))
      #expect(message.contains("1.0.0 comes before it in \(plan).schemas"))
    }
    // Nothing was changed.
    let context = ModelContext(try open(StepsV2.self, UpPlan.self, url))
    #expect(try context.fetch(FetchDescriptor<StepsV2.Walk>()).map(\.length) == [7])
  }

  @Test(arguments: [EveryStore.sqlite, .json])
  func `a backward stage on the path is an error that names it`(kind: EveryStore) throws {
    let folder = try TemporaryFolder()
    let url = kind.url(in: folder)
    do {
      let context = ModelContext(try open(StepsV2.self, UpPlan.self, url))
      context.insert(StepsV2.Walk())
      try context.save()
    }
    let error = #expect(throws: SwiftDataError.self) { try open(StepsV3.self, BackPlan.self, url) }
    #expect(error == .loadIssueModelContainer)
    #expect(error?.message.contains("the stage from StepsV2 migrates to StepsV1") == true)
    // Nothing was changed.
    let context = ModelContext(try open(StepsV2.self, UpPlan.self, url))
    #expect(try context.fetch(FetchDescriptor<StepsV2.Walk>()).map(\.length) == [7])
  }

  @Test(arguments: [EveryStore.sqlite, .json])
  func `a backward stage does not prevent an inferred forward migration`(kind: EveryStore) throws {
    let folder = try TemporaryFolder()
    let url = kind.url(in: folder)
    do {
      let context = ModelContext(try open(StepsV1.self, UpPlan.self, url))
      context.insert(StepsV1.Walk())
      try context.save()
    }
    // The stage from 2.0.0 does not concern a store of 1.0.0: its step up is inferred.
    let context = ModelContext(try open(StepsV2.self, BackPlan.self, url))
    #expect(try context.fetch(FetchDescriptor<StepsV2.Walk>()).map(\.length) == [7])
  }
}
