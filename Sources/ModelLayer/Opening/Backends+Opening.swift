import StoreProtocol

extension Backends {
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
    var all: [any StoreBackend] = []
    var byEntity: [String: any StoreBackend] = [:]
    for configuration in configurations {
      let part = configuration.schema ?? schema
      let backend = try configuration.makeBackend(
        schema: part,
        migrationPlan: migrationPlan,
        migrationOptions: migrationOptions
      )
      all.append(backend)
      for entity in part.storeSchema.entities {
        guard schema.storeSchema.entity(named: entity.name) != nil else {
          throw SwiftDataError.configurationSchemaNotFoundInContainerSchema.with(
            "the configuration \(configuration.name) names a model that the container lacks",
            entity: entity.name
          )
        }
        if byEntity[entity.name] == nil { byEntity[entity.name] = backend }
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
}
