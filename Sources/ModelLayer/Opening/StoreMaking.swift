import StoreProtocol

extension DataStoreConfiguration {
  /// Opens the configuration's store.
  func makeStore(
    schema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)?,
    migrationOptions: MigrationOptions
  ) throws -> any RecordStore {
    var configuration = self
    let own = configuration.schema ?? schema
    configuration.schema = migrationPlan.map { own.versioned(by: $0) } ?? own
    try configuration.validate()
    if let kind = MigrationKind(of: configuration) {
      let target = (configuration.schema ?? own).storeSchema
      if let migrationPlan {
        try MigrationRunner(plan: migrationPlan, options: migrationOptions)
          .run(kind, configuration, to: target)
      } else {
        try kind.migrateWithoutPlan(configuration, to: target)
      }
    }
    // A store may decode its rows when it is created.
    if Store.self is any RecordStore.Type,
      let store = try TypedSnapshotCoding.$current.withValue(
        nil,
        operation: { try Store(configuration, migrationPlan: migrationPlan) }
      ) as? any RecordStore
    {
      return store
    }
    return try SnapshotAdapter<Store>(
      .init(base: configuration, models: schema),
      migrationPlan: migrationPlan
    )
  }
}
