extension SchemaDifference {
  /// The newer schema without the rules that rows satisfy only after the code of a stage has run, or
  /// `nil` if there are none.
  ///
  /// A required property without any value is optional in it. Values that were filled in, and are
  /// therefore equal in all rows, need not be unique.
  package var schemaForStage: StoreSchema? {
    var absent: [String: Set<String>] = [:]
    var equal: [String: Set<String>] = [:]
    for mapping in RowMapping.mappings(of: self, fillsMissing: true) {
      for (index, property) in mapping.new.properties.enumerated() {
        if mapping.mustHaveValue(at: index) {
          absent[mapping.new.root, default: []].insert(property.name)
        } else if mapping.sources[index] == .missing, !mapping.fallback(at: index).isNull {
          equal[mapping.new.root, default: []].insert(property.name)
        }
      }
    }
    let entities = new.entities.map { entity in
      entity.relaxed(absent[entity.root] ?? [], equal[entity.root] ?? [])
    }
    return entities == new.entities ? nil : StoreSchema(version: new.version, entities: entities)
  }
}

extension StoreEntity {
  /// Returns the entity with optional properties, and properties that need not be unique.
  fileprivate func relaxed(_ optional: Set<String>, _ repeated: Set<String>) -> StoreEntity {
    guard !optional.isEmpty || !repeated.isEmpty else { return self }
    return StoreEntity(
      name: name,
      superentity: superentity,
      root: root,
      properties: properties.map {
        $0.with(
          isOptional: $0.isOptional || optional.contains($0.name),
          isUnique: $0.isUnique && !repeated.contains($0.name)
        )
      },
      uniquenessConstraints: uniquenessConstraints.filter { repeated.isDisjoint(with: $0) },
      indices: indices
    )
  }
}

extension StoreSchema {
  /// Returns the schema with the version of a stored schema that stores the same data, if that is
  /// later.
  ///
  /// A program may name no version. If it reset the version of a store, the plan of another one
  /// would run its stages again.
  package func keepingVersion(of stored: StoreSchema) -> StoreSchema {
    guard stored.version != version, let own = Schema.Version(version),
      let later = Schema.Version(stored.version), own < later, fingerprint == stored.fingerprint
    else { return self }
    return StoreSchema(version: stored.version, entities: entities)
  }
}

extension Schema {
  /// Returns the schema with the version of a stored schema that stores the same data, if that is
  /// later.
  package func keepingVersion(of stored: StoreSchema) -> Schema {
    let kept = storeSchema.keepingVersion(of: stored)
    guard kept !== storeSchema else { return self }
    return Schema(
      version: Version(kept.version) ?? version,
      entities: entities,
      storeSchema: kept,
      modelTypes: modelTypes,
      problems: problems
    )
  }
}
