import Foundation
import ModelLayer

extension ModelContainer {
  /// Opens the store that a text names, as `sqlite:trips.db`, `json:trips.json` or `memory:`.
  ///
  /// - Throws: `DataStoreError.invalidConfiguration` for a scheme or option that is not known, with
  ///   a list of those that are, and what the store throws.
  public convenience init(
    for forTypes: any PersistentModel.Type...,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    store: String
  ) throws {
    try self.init(for: Schema(forTypes), migrationPlan: migrationPlan, store: store)
  }

  /// Opens the store that a text names, for a schema.
  public convenience init(
    for givenSchema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    store: String
  ) throws {
    StoreScheme.builtIn
    try self.init(
      for: givenSchema,
      migrationPlan: migrationPlan,
      configurations: [try StoreScheme.configuration(for: store, schema: givenSchema)]
    )
  }

  /// Opens SQLite stores as SwiftData does.
  ///
  /// Without any configuration the store is the one that the environment variable `DATASTORE_URL`
  /// names, and where that is not set `default.store` in ``StoreLocation/applicationSupport``.
  public convenience init(
    for forTypes: any PersistentModel.Type...,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(
      for: Schema(forTypes),
      migrationPlan: migrationPlan,
      configurations: configurations
    )
  }

  /// Opens SQLite stores as SwiftData does, for a schema.
  public convenience init(
    for givenSchema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(
      for: givenSchema,
      migrationPlan: migrationPlan,
      configurations: configurations
    )
  }

  /// Opens SQLite stores as SwiftData does, for a schema and a list of configurations.
  public convenience init(
    for givenSchema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [ModelConfiguration]
  ) throws {
    StoreScheme.builtIn
    let given: [any DataStoreConfiguration]
    if configurations.isEmpty {
      given = [try Self.standardConfiguration(for: givenSchema)]
    } else {
      given = configurations
    }
    try self.init(for: givenSchema, migrationPlan: migrationPlan, configurations: given)
  }

  /// The configurations of SQLite stores among the container's.
  public var configurations: Set<ModelConfiguration> {
    Set(allConfigurations.compactMap { $0 as? ModelConfiguration })
  }

  private static func standardConfiguration(
    for schema: Schema
  ) throws -> any DataStoreConfiguration {
    guard let text = ProcessInfo.processInfo.environment["DATASTORE_URL"], !text.isEmpty else {
      return ModelConfiguration(schema: schema)
    }
    return try StoreScheme.configuration(for: text, schema: schema)
  }
}
