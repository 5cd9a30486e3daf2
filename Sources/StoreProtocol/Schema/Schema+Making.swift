extension Schema {
  /// Creates a schema without model types from its plain form, for tools that read any store.
  public convenience init(storeSchema: StoreSchema) {
    self.init(
      version: Version(storeSchema.version) ?? Version(1, 0, 0),
      entities: Self.entities(of: storeSchema),
      storeSchema: storeSchema
    )
  }

  /// Returns the entities of a plain schema, with the declarations of their properties, if there are
  /// any, by the names of the entities.
  ///
  /// Declarations of ephemeral attributes follow those of stored properties.
  package static func entities(
    of stored: StoreSchema,
    declarations: [String: [PropertyMetadata]] = [:]
  ) -> [Entity] {
    var made: [String: Entity] = [:]
    for description in stored.entities {
      let entity = Entity(description.name)
      let inherited =
        description.superentity
        .flatMap { stored.entity(named: $0)?.properties.count } ?? 0
      let declared = declarations[description.name]
      let properties = description.properties.enumerated().map { index, property in
        schemaProperty(property, declaration: declared?[index])
      }
      let ephemeral = (declared ?? []).dropFirst(properties.count).map(ephemeralAttribute)
      let inheritedEphemeral =
        description.superentity.flatMap { declarations[$0] }
        .map { $0.count - inherited } ?? 0
      entity.superentityName = description.superentity
      entity.inheritedProperties =
        Array(properties.prefix(inherited) + ephemeral.prefix(inheritedEphemeral))
      entity.storedProperties =
        Array(properties.dropFirst(inherited) + ephemeral.dropFirst(inheritedEphemeral))
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

  private static func ephemeralAttribute(_ declaration: PropertyMetadata) -> any SchemaProperty {
    Attribute(
      name: declaration.name,
      options: (declaration.metadata as? Attribute)?.options ?? [],
      valueType: type(of: declaration.keypath).valueType,
      defaultValue: declaration.makeDefault?()
    )
  }

  private static func schemaProperty(
    _ stored: StoreProperty,
    declaration: PropertyMetadata?
  ) -> any SchemaProperty {
    let valueType = declaration.map { type(of: $0.keypath).valueType }
    guard let relationship = stored.relationship else {
      let type = stored.attributeType?.swiftType ?? Never.self
      let attribute = Attribute(
        name: stored.name,
        originalName: stored.originalName,
        options: (declaration?.metadata as? Attribute)?.options ?? [],
        valueType: valueType ?? type,
        defaultValue: declaration?.makeDefault?()
      )
      attribute.isOptional = stored.isOptional
      return attribute
    }
    let declared = declaration?.metadata as? Relationship
    let result = Relationship(
      deleteRule: DeleteRule(rawValue: relationship.deleteRule) ?? .nullify,
      minimumModelCount: declared?.minimumModelCount ?? 0,
      maximumModelCount: declared?.maximumModelCount ?? 0,
      inverse: declared?.inverseKeyPath
    )
    result.name = stored.name
    result.originalName = stored.originalName
    result.keypath = declaration?.keypath
    result.valueType = valueType ?? Never.self
    result.destination = relationship.destination
    result.inverseName = relationship.inverse
    return result
  }

  private typealias DeleteRule = Relationship.DeleteRule
}
