import ModelRuntime
import StoreProtocol

/// One step of a migration on a copy of the store: code, structure, code.
struct StageRun {
  let step: MigrationPath.Step
  let configuration: any DataStoreConfiguration

  /// Runs the step.
  ///
  /// - Parameters:
  ///   - progress: Called with the progress of the change of the structure.
  ///   - inspect: Called with all rows that prevent the change, or `nil` to skip the search.
  /// - Returns: A report of the change of the structure.
  /// - Throws: Errors of the code, the change and `progress`; the copy is then unusable.
  func run(
    progress: @escaping StructureProgress,
    inspect: (([SchemaViolation]) -> Void)? = nil
  ) throws -> StructureReport {
    try progress(0, 0)
    if let willMigrate = step.stage?.willMigrate {
      try withContext(configuration, step.from, step.old) { try willMigrate($0) }
    }
    let loss =
      step.change.leavesValuesToCode ? try RelationshipLoss(of: step, in: configuration) : nil
    let (report, old) = try changeStructure(progress, inspect)
    defer { if let old { MigrationKind(of: old)?.discard(old) } }
    if let migrate = step.stage?.migrate, let old {
      try withContext(configuration, step.to, step.new) { new in
        try withContext(old, step.from, step.old, saves: false) { try migrate($0, new) }
      }
    }
    if let didMigrate = step.stage?.didMigrate {
      try withContext(configuration, step.to, step.new) { try didMigrate($0) }
    }
    try loss?.check(configuration)
    return report
  }

  private func changeStructure(
    _ progress: @escaping StructureProgress,
    _ inspect: (([SchemaViolation]) -> Void)?
  ) throws -> (StructureReport, old: (any DataStoreConfiguration)?) {
    // The store of a copy need not be of the type that was requested.
    guard let working = try MigrationKind(of: configuration)?.begin(configuration, true) else {
      throw DataStoreError(.io, "the copy that the migration changes was removed; try again")
    }
    defer { working.end() }
    if let inspect { inspect(try working.violations(of: step.change)) }
    let old = step.stage?.migrate == nil ? nil : try working.makeCopy()
    let report = try working.changeStructure(through: [step.change], progress: progress)
    return (report, old)
  }

  private func withContext(
    _ configuration: any DataStoreConfiguration,
    _ version: any VersionedSchema.Type,
    _ stored: StoreSchema,
    saves: Bool = true,
    _ body: (ModelContext) throws -> Void
  ) throws {
    let models = version.models.filter { model in
      stored.entity(named: ModelLayout.of(model).entityName) != nil
    }
    let core = try ContainerCore(
      opening: [configuration],
      for: Schema(models, version: version.versionIdentifier)
    )
    let container = ModelContainer(core: core)
    let context = ModelContext(container)
    context.state.origin = .migration
    context.autosaveEnabled = false
    // The body may access the context's container.
    try withExtendedLifetime(container) {
      try body(context)
      if saves, context.hasChanges { try context.save() }
    }
  }
}
