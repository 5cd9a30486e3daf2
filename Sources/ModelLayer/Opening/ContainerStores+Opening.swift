import StoreProtocol

extension ContainerStores {
  init(
    schema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)?,
    migrationOptions: MigrationOptions,
    configurations: [any DataStoreConfiguration]
  ) throws {
    guard !configurations.isEmpty else {
      throw DataStoreError(
        .invalidConfiguration,
        "a container needs a configuration; pass one, or use ModelContainer(for:store:)"
      )
    }
    try Self.checkNames(configurations)
    try Self.checkModels(configurations, schema)
    var all: [any RecordStore] = []
    var byEntity: [String: any RecordStore] = [:]
    for configuration in configurations {
      let part = configuration.schema ?? schema
      let store = try configuration.makeStore(
        schema: part,
        migrationPlan: migrationPlan,
        migrationOptions: migrationOptions
      )
      all.append(store)
      for entity in part.storeSchema.entities {
        guard schema.storeSchema.entity(named: entity.name) != nil else {
          throw SwiftDataError.configurationSchemaNotFoundInContainerSchema.with(
            "the configuration \(configuration.name) names a model that the container lacks",
            entity: entity.name
          )
        }
        byEntity[entity.name] = store
      }
    }
    for entity in schema.storeSchema.entities where byEntity[entity.name] == nil {
      throw SwiftDataError.configurationSchemaNotFoundInContainerSchema.with(
        "no configuration stores this model; add it to the schema of one",
        entity: entity.name
      )
    }
    self.init(all: all, byEntity: byEntity)
  }

  private static func checkNames(_ configurations: [any DataStoreConfiguration]) throws {
    var seen: Set<AnyHashable> = []
    for configuration in configurations {
      guard seen.insert(AnyHashable(configuration)).inserted else {
        throw SwiftDataError.duplicateConfiguration.with(
          "two configurations are the same: \(configuration.name)"
        )
      }
    }
  }

  /// Checks, before a store is created, that no store would remain unused.
  private static func checkModels(
    _ configurations: [any DataStoreConfiguration],
    _ schema: Schema
  ) throws {
    var owners: [String: String] = [:]
    for configuration in configurations {
      for entity in (configuration.schema ?? schema).storeSchema.entities {
        guard let other = owners.updateValue(configuration.name, forKey: entity.name) else {
          continue
        }
        throw SwiftDataError.duplicateConfiguration.with(
          "the configurations \(other) and \(configuration.name) both store this model; give each "
            + "configuration a schema of its own, or create a container for each store",
          entity: entity.name
        )
      }
    }
  }
}
