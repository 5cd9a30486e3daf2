import Foundation
import OpenSwiftData
import PostgreSQLTestSupport
import StoreTestSupport
import Testing

/// The stores that migrations change.
enum StageStore: String, CustomTestStringConvertible, Sendable {
  case sqlite, json, postgresql

  static let files: [StageStore] = [.sqlite, .json]
  static let all = files + servers
  /// The stores that several programs can have open.
  static let shared: [StageStore] = [.sqlite] + servers
  private static let servers: [StageStore] =
    PrivateCluster.isAvailable || PrivateCluster.isRequired ? [.postgresql] : []

  var testDescription: String { rawValue }
}

/// A store that a test opens with one version after another.
final class StageFixture {
  let kind: StageStore
  let folder: TemporaryFolder
  private let databaseSchema = "m" + UUID().uuidString

  init(_ kind: StageStore) throws {
    self.kind = kind
    folder = try TemporaryFolder()
  }

  deinit {
    guard kind == .postgresql else { return }
    _ = try? PrivateCluster.shared().connect().run(
      .init("DROP SCHEMA IF EXISTS \"\(databaseSchema)\" CASCADE")
    )
  }

  func configuration(_ schema: Schema) throws -> any DataStoreConfiguration {
    switch kind {
    case .json: return JSONFileStoreConfiguration(schema: schema, url: folder.file("store.json"))
    case .sqlite: return ModelConfiguration(schema: schema, url: folder.file("store.db"))
    case .postgresql:
      var configuration = try PostgreSQLStoreConfiguration(
        PrivateCluster.shared().configuration(),
        databaseSchema: databaseSchema
      )
      configuration.schema = schema
      // Some reads are made by COPY.
      configuration.copiedRows = 3
      return configuration
    }
  }

  func open(
    _ version: any VersionedSchema.Type,
    _ plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContainer {
    try open(Schema(versionedSchema: version), plan)
  }

  func open(
    _ schema: Schema,
    _ plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContainer {
    try ModelContainer(
      for: schema,
      migrationPlan: plan,
      configurations: [configuration(schema)]
    )
  }

  /// Checks that nothing of the copy that a migration works on is left, and that the store is whole.
  func check(_ container: ModelContainer) throws {
    #expect(try !folder.names().contains { $0.contains("migrating") })
    for case let store as any MaintainableStore in container.stores {
      #expect(try store.verify() == [])
    }
  }
}
