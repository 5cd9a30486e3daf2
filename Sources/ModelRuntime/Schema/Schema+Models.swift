import StoreProtocol

extension Schema {
  /// Creates a schema from model types, including their superclasses and the types that they refer
  /// to.
  ///
  /// A schema can be created from contradictory models. A container then rejects it with an error
  /// that says what to fix.
  public convenience init(
    _ types: [any PersistentModel.Type],
    version: Version = Version(1, 0, 0)
  ) {
    self.init(types, version, isVersioned: false)
  }

  private convenience init(
    _ types: [any PersistentModel.Type],
    _ version: Version,
    isVersioned: Bool
  ) {
    var builder = SchemaBuilder(types)
    let stored = StoreSchema(
      version: version.description,
      entities: builder.storeEntities()
    )
    self.init(
      version: version,
      entities: Self.entities(
        of: stored,
        declarations: builder.layouts.mapValues { $0.properties.map(\.metadata) }
      ),
      storeSchema: stored,
      modelTypes: builder.layouts.mapValues(\.type),
      problems: builder.problems,
      isVersioned: isVersioned
    )
  }

  /// Creates a schema from model types, including their superclasses and the types that they refer
  /// to.
  public convenience init(
    _ types: any PersistentModel.Type...,
    version: Version = Version(1, 0, 0)
  ) {
    self.init(types, version: version)
  }

  /// Creates the schema of a version.
  public convenience init(versionedSchema: any VersionedSchema.Type) {
    self.init(versionedSchema.models, versionedSchema.versionIdentifier, isVersioned: true)
  }

  /// Returns the entity of a model type, or `nil` if the schema lacks it.
  public func entity<T>(for type: T.Type) -> Entity? where T: PersistentModel {
    let name = Schema.entityName(for: type)
    return entities.first { $0.name == name }
  }

  /// Returns the name of the entity of a model type, which is the same in every schema.
  public static func entityName<T>(for type: T.Type) -> String where T: PersistentModel {
    ModelLayout.of(type).entityName
  }
}
