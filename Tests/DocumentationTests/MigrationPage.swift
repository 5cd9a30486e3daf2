import Foundation
import OpenSwiftData
import PostgreSQLTestSupport
import StoreTestSupport
import Testing

/// The code of the pages about migrations.
@Suite struct `Migrations in the guides` {
  @Test(arguments: EveryStore.migrating)
  func `run from the first version to the last`(_ kind: EveryStore) throws {
    let folder = try TemporaryFolder()
    let configuration = try StoreScheme.configuration(for: kind.url(in: folder))
    try Self.fill(configuration)
    #expect(try Self.rehearse(configuration))
    guard kind != .postgreSQL else { return try Self.checkServer(folder, configuration) }
    try Self.check(Self.open(configuration, backups: folder.url))
    #expect(try folder.names().contains { $0.contains("1.0.0") })
  }

  /// Migrates without a backup, which a server does not write, and checks that no copy remains.
  private static func checkServer(
    _ folder: TemporaryFolder,
    _ configuration: any DataStoreConfiguration
  ) throws {
    try check(
      ModelContainer(
        for: Schema(versionedSchema: TripsV2.self),
        migrationPlan: TripsPlan.self,
        configurations: configuration
      )
    )
    let name = folder.url.lastPathComponent
    #expect(try PrivateCluster.shared().schemas(beginningWith: name) == [name])
  }

  private static func fill(_ configuration: any DataStoreConfiguration) throws {
    let old = try ModelContainer(
      for: Schema(versionedSchema: TripsV1.self),
      configurations: configuration
    )
    let context = ModelContext(old)
    context.insert(TripsV1.Trip(title: "Fjords", length: "3"))
    try context.save()
  }

  private static func check(_ container: ModelContainer) throws {
    let trips = try ModelContext(container).fetch(FetchDescriptor<TripsV2.Trip>())
    #expect(trips.map(\.name) == ["Fjords"])
    #expect(trips.map(\.days) == [3])
  }

  static func open(
    _ configuration: any DataStoreConfiguration,
    backups folder: URL
  ) throws -> ModelContainer {
    // snippet.migration-open
    let options = MigrationOptions(backupFolder: folder) { progress in
      print(progress.step, progress.fraction)
    }
    let container = try ModelContainer(
      for: Schema(versionedSchema: TripsV2.self),
      migrationPlan: TripsPlan.self,
      migrationOptions: options,
      configurations: configuration
    )
    // snippet.end
    return container
  }

  static func rehearse(_ configuration: any DataStoreConfiguration) throws -> Bool {
    // snippet.migration-rehearsal
    let rehearsal = try TripsPlan.rehearse(on: configuration)
    print(rehearsal)  // steps, differences, statements, rows written; what stands in the way
    // snippet.end
    return rehearsal.succeeds
  }

  @Test func `are checked with a schema lock`() throws {
    let folder = try TemporaryFolder()
    let lockURL = folder.file("schema.lock")
    try Schema(versionedSchema: TripsV2.self).writeLock(to: lockURL)
    // snippet.schema-lock
    try Schema(versionedSchema: TripsV2.self).checkLock(at: lockURL)
    // snippet.end
  }
}

// snippet.migration-versions
enum TripsV1: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Trip.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }

  @Model
  final class Trip {
    var title: String
    var length: String

    init(title: String, length: String) {
      self.title = title
      self.length = length
    }
  }
}

enum TripsV2: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Trip.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }

  @Model
  final class Trip {
    @Attribute(originalName: "title") var name: String
    var days: Int

    init(name: String, days: Int) {
      self.name = name
      self.days = days
    }
  }
}
// snippet.end

// snippet.migration-plan
enum TripsPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(fromVersion: TripsV1.self, toVersion: TripsV2.self) { contexts in
        for old in try contexts.old.fetch(FetchDescriptor<TripsV1.Trip>()) {
          let new = contexts.new.model(for: old.persistentModelID) as? TripsV2.Trip
          new?.days = Int(old.length) ?? 0
        }
      }
    ]
  }
}
// snippet.end
