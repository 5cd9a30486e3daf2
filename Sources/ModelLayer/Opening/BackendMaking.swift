import StoreProtocol

extension DataStoreConfiguration {
  /// Opens the configuration's store.
  func makeBackend(
    schema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)?,
    migrationOptions: MigrationOptions
  ) throws -> any StoreBackend {
    var configuration = self
    if configuration.schema == nil { configuration.schema = schema }
    try configuration.validate()
    if let kind = MigrationKind(of: configuration) {
      let target = (configuration.schema ?? schema).storeSchema
      if let migrationPlan {
        try MigrationRunner(plan: migrationPlan, options: migrationOptions)
          .run(kind, configuration, to: target)
      } else {
        try kind.migrateWithoutPlan(configuration, to: target)
      }
    }
    // A store may decode its rows when it is created.
    let coding = Store.self is any RecordStore.Type ? nil : ModelSnapshotCoding(schema)
    let store = try TypedSnapshotCoding.$current.withValue(coding) {
      try Store(configuration, migrationPlan: migrationPlan)
    }
    return Self.backend(of: store, schema: schema)
  }

  private static func backend(of store: Store, schema: Schema) -> any StoreBackend {
    if let plain = store as? any RecordStore { return recordBackend(of: plain) }
    return SnapshotBackend(store, schema: store.schema.modelTypes.isEmpty ? schema : store.schema)
  }

  private static func recordBackend<Plain: RecordStore>(of store: Plain) -> any StoreBackend {
    RecordBackend(store)
  }
}
