import StoreProtocol

extension Schema {
  /// Returns the schema as the version of a migration plan that its model types belong to.
  ///
  /// Versions that store the same data differ by their model types only. A schema of types that
  /// several versions share is the last of these, unless it names one of them.
  ///
  /// - Parameter plan: The plan.
  /// - Returns: The schema with the version, or unchanged if no version has its types.
  package func versioned(by plan: any SchemaMigrationPlan.Type) -> Schema {
    guard !isVersioned, !modelTypes.isEmpty else { return self }
    let versions = plan.schemas.map { (version: $0.versionIdentifier, types: Self.types(of: $0)) }
    let own = modelTypes.mapValues { ObjectIdentifier($0) }
    var alike = versions.filter { $0.types == own }
    if alike.isEmpty {
      alike = versions.filter { candidate in own.allSatisfy { candidate.types[$0.key] == $0.value }
      }
    }
    let isNamed = version != Version(1, 0, 0) && alike.contains { $0.version == version }
    guard !isNamed, let last = alike.last?.version, last != version else { return self }
    return with(StoreSchema(version: last.description, entities: storeSchema.entities))
  }

  private static func types(of version: any VersionedSchema.Type) -> [String: ObjectIdentifier] {
    SchemaBuilder(version.models).layouts.mapValues { ObjectIdentifier($0.type) }
  }

  /// Returns the schema with other rules for stored data, such as during a stage of a migration.
  package func with(_ stored: StoreSchema) -> Schema {
    Schema(
      version: Version(stored.version) ?? version,
      entities: Self.entities(
        of: stored,
        declarations: modelTypes.mapValues { ModelLayout.of($0).properties.map(\.metadata) }
      ),
      storeSchema: stored,
      modelTypes: modelTypes,
      problems: problems
    )
  }
}
