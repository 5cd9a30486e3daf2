import StoreProtocol

/// The path of a migration plan from a store's schema to the program's schema.
package struct MigrationPath {
  /// One version of the plan on the path, with the stage that results in it.
  package struct Step {
    /// The stage, or `nil` if the plan has none and the change is inferred.
    package let stage: MigrationStage?
    /// The version before the step.
    package let from: any VersionedSchema.Type
    /// The version after the step.
    package let to: any VersionedSchema.Type
    /// The stored schema before the step.
    package let old: StoreSchema
    /// The stored schema after the step.
    package let new: StoreSchema

    /// Whether the step runs code.
    package var hasCode: Bool { stage?.hasCode ?? false }

    /// The versions, such as `1.0.0 → 2.0.0`.
    package var title: String { "\(from.versionIdentifier) → \(to.versionIdentifier)" }

    package var change: StructureChange {
      StructureChange(
        to: new,
        removesEntities: true,
        leavesValuesToCode: stage?.fillsValues ?? false
      )
    }
  }

  /// The steps in order; empty if the store has the program's schema.
  package let steps: [Step]

  /// Finds the path.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - stored: The schema of the store.
  ///   - target: The schema of the program, or the part of it that this store keeps.
  /// - Throws: `SwiftDataError.unknownSchema` if the plan lacks either schema,
  ///   `SwiftDataError.backwardMigration` if the store is newer than the program, and no custom
  ///   stages of the plan lead from its version to that of the program.
  package init(
    _ plan: any SchemaMigrationPlan.Type,
    from stored: StoreSchema,
    to target: StoreSchema
  ) throws {
    let versions = PlanVersions(plan, entities: stored.entities + target.entities)
    guard let last = versions.index(of: target) else {
      throw versions.unknown("the program's schema", target)
    }
    guard let first = versions.index(of: stored) else {
      if let newest = plan.schemas.map({ $0.versionIdentifier }).max(),
        let version = Schema.Version(stored.version), version > newest
      {
        throw Self.backward(stored, target)
      }
      throw versions.unknown("the store's schema", stored)
    }
    steps = try Self.steps(plan, versions, from: first, to: last)
  }

  private static func steps(
    _ plan: any SchemaMigrationPlan.Type,
    _ versions: PlanVersions,
    from first: Int,
    to last: Int
  ) throws -> [Step] {
    var steps: [Step] = []
    var current = first
    while current != last {
      let stage = try stage(of: plan, versions, from: current, to: last)
      // Code of the plan may lead to an earlier version; a step there is never inferred.
      guard stage != nil || current < last else {
        throw backward(plan, versions.types[first], versions.types[last])
      }
      let next = stage.flatMap { versions.index(of: $0.toVersion) } ?? current + 1
      steps.append(
        Step(
          stage: stage,
          from: versions.types[current],
          to: versions.types[next],
          old: versions.schemas[current],
          new: versions.schemas[next]
        )
      )
      current = next
    }
    return steps
  }

  /// Returns the stage from a version toward another one, or `nil` if there is none.
  private static func stage(
    of plan: any SchemaMigrationPlan.Type,
    _ versions: PlanVersions,
    from current: Int,
    to last: Int
  ) throws -> MigrationStage? {
    let stages = plan.stages.filter {
      ObjectIdentifier($0.fromVersion) == ObjectIdentifier(versions.types[current])
    }
    let path = current < last ? current + 1...last : last...current - 1
    let stage = stages.first {
      (current < last || $0.hasCode) && versions.index(of: $0.toVersion).map(path.contains) ?? false
    }
    if stage == nil, current < last, let other = stages.first {
      throw SwiftDataError.loadIssueModelContainer.with(
        "the stage from \(other.fromVersion) migrates to \(other.toVersion), which is not "
          + "after it in \(plan).schemas; list the versions in migration order"
      )
    }
    return stage
  }

  private static func backward(
    _ plan: any SchemaMigrationPlan.Type,
    _ from: any VersionedSchema.Type,
    _ to: any VersionedSchema.Type
  ) -> SwiftDataError {
    .backwardMigration.with(
      "the store has version \(from.versionIdentifier), and the "
        + "program's \(to.versionIdentifier) comes before it in \(plan).schemas; update the "
        + "program, list the versions in migration order, or add custom stages to the earlier version"
    )
  }

  private static func backward(_ stored: StoreSchema, _ target: StoreSchema) -> SwiftDataError {
    .backwardMigration.with(
      "the store is newer than the program; update the program; "
        + SchemaDifference(from: stored, to: target).refusedSentence
    )
  }
}

/// The versions of a plan, limited to the models that one store keeps.
private struct PlanVersions {
  let types: [any VersionedSchema.Type]
  let schemas: [StoreSchema]

  init(_ plan: any SchemaMigrationPlan.Type, entities: [StoreEntity]) {
    types = plan.schemas
    let names = Set(entities.map(\.name))
    schemas = types.map { type in
      let whole = Schema(versionedSchema: type).storeSchema
      // Models that this store keeps in its current version, and in the target version.
      let part = whole.entities.filter { names.contains($0.name) }
      return StoreSchema(version: whole.version, entities: part)
    }
  }

  /// Returns the index of a schema: of the equal version if it matches, else of the last schema
  /// with the same fingerprint.
  func index(of schema: StoreSchema) -> Int? {
    let fingerprint = schema.fingerprint
    let alike = schemas.indices.filter { schemas[$0].fingerprint == fingerprint }
    return alike.first { schemas[$0].version == schema.version } ?? alike.last
  }

  func index(of type: any VersionedSchema.Type) -> Int? {
    types.firstIndex { ObjectIdentifier($0) == ObjectIdentifier(type) }
  }

  /// Returns the error for a schema that is not in the plan, with its difference from the nearest
  /// version.
  func unknown(_ subject: String, _ schema: StoreSchema) -> SwiftDataError {
    let differences = schemas.map { SchemaDifference(from: schema, to: $0) }
    let nearest = differences.min { $0.steps.count < $1.steps.count }
    return .unknownSchema.with(
      "\(subject) [\(schema.fingerprint)] is not in the migration plan; difference from "
        + "the nearest version: "
        + (nearest?.sentence ?? "the plan has no schemas")
    )
  }
}
