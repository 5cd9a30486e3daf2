import Foundation
import OpenSwiftData
import PostgreSQLClient
import PostgreSQLTestSupport
import Testing

enum FirstPiers: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Pier.self, Boat.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }

  @Model final class Pier {
    var name: String
    var length: String
    @Relationship(inverse: \Boat.pier) var boats: [Boat] = []

    init(name: String, length: String) {
      self.name = name
      self.length = length
    }
  }

  @Model final class Boat {
    var pier: Pier?

    init() {}
  }
}

enum SecondPiers: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Pier.self, Boat.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }

  @Model final class Pier {
    @Attribute(originalName: "name") var title: String
    var length: Double = 0
    var isOpen: Bool = true
    @Relationship(inverse: \Boat.pier) var boats: [Boat] = []

    init(title: String) { self.title = title }
  }

  @Model final class Boat {
    var pier: Pier?

    init() {}
  }
}

private struct Refused: Error {}

private func stage(didMigrate: @escaping @Sendable (ModelContext) throws -> Void) -> MigrationStage
{
  .custom(
    fromVersion: FirstPiers.self,
    toVersion: SecondPiers.self,
    willMigrate: { context in
      for pier in try context.fetch(FetchDescriptor<FirstPiers.Pier>()) { pier.name += "!" }
      try context.save()
    },
    didMigrate: didMigrate
  )
}

enum PierPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [FirstPiers.self, SecondPiers.self] }
  static var stages: [MigrationStage] {
    [
      stage { context in
        for pier in try context.fetch(FetchDescriptor<SecondPiers.Pier>()) { pier.length = 7 }
        try context.save()
      }
    ]
  }
}

private enum FailingPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [FirstPiers.self, SecondPiers.self] }
  static var stages: [MigrationStage] { [stage { _ in throw Refused() }] }
}

@Suite(
  .enabled(
    if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
    "no PostgreSQL server is installed"
  )
)
struct `Migration in PostgreSQL` {
  /// Runs a body with the configuration of a store that the first version has written.
  private func withStore(
    _ body: (PostgreSQLStoreConfiguration, ModelContainer) throws -> Void
  ) throws {
    let configuration = try PostgreSQLStoreConfiguration(
      PrivateCluster.shared().configuration(),
      databaseSchema: "m" + UUID().uuidString
    )
    defer { try? SchemaFixture().destroy(configuration) }
    let container = try ModelContainer(
      for: Schema(versionedSchema: FirstPiers.self),
      configurations: [configuration]
    )
    let context = ModelContext(container)
    let pier = FirstPiers.Pier(name: "a", length: "12")
    context.insert(pier)
    for _ in 0..<3 {
      let boat = FirstPiers.Boat()
      context.insert(boat)
      boat.pier = pier
    }
    try context.save()
    try body(configuration, container)
  }

  private func open(
    _ configuration: PostgreSQLStoreConfiguration,
    _ plan: (any SchemaMigrationPlan.Type)?
  ) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(versionedSchema: SecondPiers.self),
      migrationPlan: plan,
      configurations: [configuration]
    )
  }

  @Test func `a custom stage keeps rows and relationships, and older handles cannot save`()
    throws
  {
    try withStore { configuration, older in
      let container = try open(configuration, PierPlan.self)
      let pier = try #require(
        try ModelContext(container).fetch(FetchDescriptor<SecondPiers.Pier>()).first
      )
      #expect(pier.title == "a!")
      #expect(pier.length == 7)
      #expect(pier.isOpen)
      #expect(pier.boats.count == 3)
      let context = ModelContext(older)
      context.insert(FirstPiers.Boat())
      #expect(throws: DataStoreError.schemaMismatch) { try context.save() }
      let copies = try PrivateCluster.shared().connect().run(
        Statement(
          "SELECT count(*) FROM pg_namespace WHERE nspname LIKE $1",
          [Parameter(configuration.databaseSchema + "~%")]
        )
      )
      #expect(try copies.value(0, 0, as: Int64.self) == 0)
    }
  }

  @Test func `a stage that throws changes nothing, and saves continue`() throws {
    try withStore { configuration, container in
      #expect(throws: (any Error).self) { try open(configuration, FailingPlan.self) }
      let context = ModelContext(container)
      let pier = try #require(try context.fetch(FetchDescriptor<FirstPiers.Pier>()).first)
      #expect(pier.name == "a")
      #expect(pier.boats.count == 3)
      pier.name = "b"
      try context.save()
    }
  }

  @Test func `a save during a migration waits, and throws if the store stays busy`() throws {
    try withStore { configuration, _ in
      var patient = configuration
      patient.timeout = .seconds(2)
      let store = try PostgreSQLStore(patient)
      let migration = try #require(try PostgreSQLStore.beginMigration(of: configuration))
      #expect(throws: DataStoreError.storeBusy) { try store.apply(StoreChanges()) }
      migration.end()
      _ = try store.apply(StoreChanges())
    }
  }
}
