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
    var builder = SchemaBuilder(types)
    let stored = StoreSchema(
      version: version.description,
      entities: builder.storeEntities()
    )
    self.init(
      version: version,
      entities: Self.entities(of: stored, layouts: builder.layouts),
      storeSchema: stored,
      modelTypes: builder.layouts.mapValues(\.type),
      problems: builder.problems
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
    self.init(versionedSchema.models, version: versionedSchema.versionIdentifier)
  }

  /// Creates a schema without model types from its plain form, for tools that read any store.
  public convenience init(storeSchema: StoreSchema) {
    self.init(
      version: Version(storeSchema.version) ?? Version(1, 0, 0),
      entities: Self.entities(of: storeSchema, layouts: [:]),
      storeSchema: storeSchema
    )
  }

  private static func entities(
    of stored: StoreSchema,
    layouts: [String: ModelLayout]
  ) -> [Entity] {
    var made: [String: Entity] = [:]
    for description in stored.entities {
      let entity = Entity(description.name)
      let inherited =
        description.superentity
        .flatMap { stored.entity(named: $0)?.properties.count } ?? 0
      let properties = description.properties.enumerated().map { index, property in
        schemaProperty(property, of: layouts[description.name]?.properties[index])
      }
      entity.superentityName = description.superentity
      entity.inheritedProperties = Array(properties.prefix(inherited))
      entity.storedProperties = Array(properties.dropFirst(inherited))
      entity.uniquenessConstraints = description.uniquenessConstraints
      entity.indices = description.indices
      made[description.name] = entity
    }
    for entity in made.values {
      guard let above = entity.superentityName.flatMap({ made[$0] }) else { continue }
      entity.superentity = above
      above.subentities.insert(entity)
    }
    return stored.entities.compactMap { made[$0.name] }
  }

  private static func schemaProperty(
    _ stored: StoreProperty,
    of property: ModelLayout.Property?
  ) -> any SchemaProperty {
    let valueType = property.map { type(of: $0.keyPath).valueType }
    guard let relationship = stored.relationship else {
      let type = stored.attributeType?.swiftType ?? Never.self
      let attribute = Attribute(
        name: stored.name,
        originalName: stored.originalName,
        options: (property?.metadata.metadata as? Attribute)?.options ?? [],
        valueType: valueType ?? type,
        defaultValue: property?.metadata.makeDefault?()
      )
      attribute.isOptional = stored.isOptional
      return attribute
    }
    let declared = property?.metadata.metadata as? Relationship
    let result = Relationship(
      deleteRule: DeleteRule(rawValue: relationship.deleteRule) ?? .nullify,
      minimumModelCount: declared?.minimumModelCount ?? 0,
      maximumModelCount: declared?.maximumModelCount ?? 0,
      inverse: declared?.inverseKeyPath
    )
    result.name = stored.name
    result.originalName = stored.originalName
    result.keypath = property?.keyPath
    result.valueType = valueType ?? Never.self
    result.destination = relationship.destination
    result.inverseName = relationship.inverse
    return result
  }

  private typealias DeleteRule = Relationship.DeleteRule
}
