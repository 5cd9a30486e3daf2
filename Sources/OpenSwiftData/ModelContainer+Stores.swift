import Foundation
import ModelLayer

extension ModelContainer {
  /// Opens the store that a URL names, such as `sqlite:trips.db`, `json:trips.json` or `memory:`.
  ///
  /// A store with an older schema is migrated by the plan; the options include a progress handler.
  ///
  /// - Throws: `DataStoreError.invalidConfiguration` for an unknown scheme or option, with a list
  ///   of the known ones, and errors of the store.
  public convenience init(
    for forTypes: any PersistentModel.Type...,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    migrationOptions: MigrationOptions = MigrationOptions(),
    store: String
  ) throws {
    try self.init(
      for: Schema(forTypes),
      migrationPlan: migrationPlan,
      migrationOptions: migrationOptions,
      store: store
    )
  }

  /// Opens the store that a URL names, for a schema.
  public convenience init(
    for givenSchema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    migrationOptions: MigrationOptions = MigrationOptions(),
    store: String
  ) throws {
    try self.init(
      for: givenSchema,
      migrationPlan: migrationPlan,
      migrationOptions: migrationOptions,
      configurations: [try StoreScheme.configuration(for: store, schema: givenSchema)]
    )
  }

  /// Opens SQLite stores, as in SwiftData.
  ///
  /// Without a configuration, the environment variable `DATASTORE_URL` names the store. If that is
  /// not set, it is `default.store` in ``StoreLocation/applicationSupport``.
  public convenience init(
    for forTypes: any PersistentModel.Type...,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    migrationOptions: MigrationOptions = MigrationOptions(),
    configurations: ModelConfiguration...
  ) throws {
    try self.init(
      for: Schema(forTypes),
      migrationPlan: migrationPlan,
      migrationOptions: migrationOptions,
      configurations: configurations
    )
  }

  /// Opens SQLite stores for a schema, as in SwiftData.
  public convenience init(
    for givenSchema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    migrationOptions: MigrationOptions = MigrationOptions(),
    configurations: ModelConfiguration...
  ) throws {
    try self.init(
      for: givenSchema,
      migrationPlan: migrationPlan,
      migrationOptions: migrationOptions,
      configurations: configurations
    )
  }

  /// Opens SQLite stores for a schema and a list of configurations, as in SwiftData.
  public convenience init(
    for givenSchema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    migrationOptions: MigrationOptions = MigrationOptions(),
    configurations: [ModelConfiguration]
  ) throws {
    let given: [any DataStoreConfiguration] =
      try configurations.isEmpty
      ? [Self.standardConfiguration(for: givenSchema)] : configurations
    try self.init(
      for: givenSchema,
      migrationPlan: migrationPlan,
      migrationOptions: migrationOptions,
      configurations: given
    )
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
    do {
      return try StoreScheme.configuration(for: text, schema: schema)
    } catch let error as DataStoreError where error == .invalidConfiguration {
      throw DataStoreError(
        .invalidConfiguration,
        "the environment variable DATASTORE_URL is not the URL of a store: \(error.message)",
        file: error.file,
        cause: error
      )
    }
  }
}
