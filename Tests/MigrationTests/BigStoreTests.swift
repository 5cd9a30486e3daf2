import Foundation
import OpenSwiftData
import Testing

@testable import SQLiteStore

/// A migration of many rows that is run manually, one step in each process.
///
/// Other programs measure the memory of the processes and kill them:
///
/// ```
/// OPENSWIFTDATA_BIG=fill OPENSWIFTDATA_BIG_STORE=/tmp/big.db OPENSWIFTDATA_BIG_ROWS=1000000
/// OPENSWIFTDATA_BIG=migrate OPENSWIFTDATA_BIG_STORE=/tmp/big.db /usr/bin/time -v …
/// OPENSWIFTDATA_BIG=check …
/// ```
@Suite("A store with many rows", .enabled(if: BigStore.task != nil))
struct BigStoreTests {
  @Test func `is filled, migrated or checked`() throws {
    let configuration = SQLiteStoreConfiguration(url: URL(filePath: BigStore.path))
    switch BigStore.task {
    case "fill": try fill(configuration)
    case "migrate": _ = try open(configuration, TripsV3.self, BigPlan.self)
    default: try check(configuration)
    }
  }

  private func open(
    _ configuration: SQLiteStoreConfiguration,
    _ version: any VersionedSchema.Type,
    _ plan: (any SchemaMigrationPlan.Type)?
  ) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(versionedSchema: version),
      migrationPlan: plan,
      configurations: [configuration]
    )
  }

  private func fill(_ configuration: SQLiteStoreConfiguration) throws {
    let container = try open(configuration, TripsV1.self, nil)
    let context = ModelContext(container)
    context.insert(TripsV1.Trip(title: "0"))
    try context.save()
    let store = try #require(container.stores.first as? SQLiteStore)
    try store.database.write { connection in
      try connection.execute(
        """
        INSERT INTO "Trip"("_key", "_version", "title", "cost", "length")
        WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < \(BigStore.rows))
        SELECT i, 1, 'trip number ' || i, i, '' || (i % 30) FROM n
        """
      )
      try connection.execute(
        "UPDATE \"OpenSwiftData\" SET value = \(BigStore.rows + 1) WHERE key = 'nextKey'"
      )
    }
  }

  /// Expects a complete store of the first or the third version.
  private func check(_ configuration: SQLiteStoreConfiguration) throws {
    var plain = configuration
    plain.schema = nil
    let store = try SQLiteStore(plain, migrationPlan: nil)
    let version = store.schema.storeSchema.version
    #expect(["1.0.0", "3.0.0"].contains(version))
    #expect(try store.count(StoreQuery(entity: "Trip")) == BigStore.rows)
    #expect(try store.database.read { try $0.text("PRAGMA integrity_check") } == "ok")
    print("whole, version \(version)")
  }
}

private enum BigStore {
  static var task: String? { ProcessInfo.processInfo.environment["OPENSWIFTDATA_BIG"] }

  static var path: String {
    ProcessInfo.processInfo.environment["OPENSWIFTDATA_BIG_STORE"] ?? "/tmp/big.db"
  }

  static var rows: Int {
    ProcessInfo.processInfo.environment["OPENSWIFTDATA_BIG_ROWS"].flatMap(Int.init) ?? 1_000_000
  }
}

private enum BigPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self, TripsV3.self] }
  static var stages: [MigrationStage] {
    [
      .lightweight(fromVersion: TripsV1.self, toVersion: TripsV2.self),
      .custom(
        fromVersion: TripsV2.self,
        toVersion: TripsV3.self,
        willMigrate: nil,
        didMigrate: { context in
          var descriptor = FetchDescriptor<TripsV3.Trip>()
          descriptor.fetchLimit = 1_000
          for trip in try context.fetch(descriptor) { trip.length = 1 }
        }
      ),
    ]
  }
}
