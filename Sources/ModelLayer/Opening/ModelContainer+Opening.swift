import ModelRuntime
import StoreProtocol

extension ModelContainer {
  /// Opens the stores of configurations, and creates those that do not exist.
  ///
  /// A store with an older schema is migrated to this one: by the plan, or without one if that
  /// needs no code. A plan works with every kind of store.
  ///
  /// - Throws: `SwiftDataError.loadIssueModelContainer` if the schema contradicts itself,
  ///   `SwiftDataError.duplicateConfiguration` or
  ///   `SwiftDataError.configurationSchemaNotFoundInContainerSchema` if the configurations do, and
  ///   errors of the stores.
  public convenience init(
    for givenSchema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    migrationOptions: MigrationOptions = MigrationOptions(),
    configurations: [any DataStoreConfiguration]
  ) throws {
    self.init(
      core: try ContainerCore(
        opening: configurations,
        for: givenSchema,
        migrationPlan: migrationPlan,
        migrationOptions: migrationOptions
      )
    )
  }

  /// Opens the stores of configurations for model types.
  public convenience init(
    for forTypes: any PersistentModel.Type...,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    migrationOptions: MigrationOptions = MigrationOptions(),
    configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(
      for: Schema(forTypes),
      migrationPlan: migrationPlan,
      migrationOptions: migrationOptions,
      configurations: configurations
    )
  }

  /// Opens the stores of configurations for a schema.
  public convenience init(
    for givenSchema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    migrationOptions: MigrationOptions = MigrationOptions(),
    configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(
      for: givenSchema,
      migrationPlan: migrationPlan,
      migrationOptions: migrationOptions,
      configurations: configurations
    )
  }
}

extension ContainerCore {
  /// Opens the stores of configurations, after their migration to a schema.
  convenience init(
    opening configurations: [any DataStoreConfiguration],
    for givenSchema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    migrationOptions: MigrationOptions = MigrationOptions()
  ) throws {
    let schema = migrationPlan.map { givenSchema.versioned(by: $0) } ?? givenSchema
    if let problem = schema.problems.first { throw problem }
    let stores = try ContainerStores(
      schema: schema,
      migrationPlan: migrationPlan,
      migrationOptions: migrationOptions,
      configurations: configurations
    )
    self.init(
      schema: schema,
      migrationPlan: migrationPlan,
      stores: stores,
      configurations: configurations
    )
  }
}
