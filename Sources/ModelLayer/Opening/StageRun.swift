import ModelRuntime
import StoreProtocol

/// One step of a migration on a copy of the store: code, structure, code.
struct StageRun {
  let step: MigrationPath.Step
  let configuration: any DataStoreConfiguration
  /// The schema while the code after the change of the structure runs.
  private let relaxed: StoreSchema?

  init(step: MigrationPath.Step, configuration: any DataStoreConfiguration) {
    self.step = step
    self.configuration = configuration
    relaxed =
      step.change.leavesValuesToCode
      ? SchemaDifference(from: step.old, to: step.new).schemaForStage : nil
  }

  private var schemaForCode: StoreSchema { relaxed ?? step.new }

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
    var (report, old) = try changeStructure(progress, inspect)
    defer { if let old { MigrationKind(of: old)?.discard(old) } }
    if let migrate = step.stage?.migrate, let old {
      try withContext(configuration, step.to, schemaForCode) { new in
        try withContext(old, step.from, step.old, saves: false) { try migrate($0, new) }
      }
    }
    if let didMigrate = step.stage?.didMigrate {
      try withContext(configuration, step.to, schemaForCode) { try didMigrate($0) }
    }
    if relaxed != nil { try requireValues(&report, inspect) }
    try loss?.check(configuration)
    return report
  }

  private func changeStructure(
    _ progress: @escaping StructureProgress,
    _ inspect: (([SchemaViolation]) -> Void)?
  ) throws -> (StructureReport, old: (any DataStoreConfiguration)?) {
    let working = try begin()
    defer { working.end() }
    let change = StructureChange(
      to: schemaForCode,
      removesEntities: step.change.removesEntities,
      leavesValuesToCode: step.change.leavesValuesToCode
    )
    if let inspect { inspect(try working.violations(of: change)) }
    let old = step.stage?.migrate == nil ? nil : try working.makeCopy()
    let report = try working.changeStructure(through: [change], progress: progress)
    return (report, old)
  }

  /// Begins a migration of the copy.
  private func begin() throws -> any StoreMigration {
    // The store of a copy need not be of the type that was requested.
    guard let working = try MigrationKind(of: configuration)?.begin(configuration, true) else {
      throw DataStoreError(.io, "the copy that the migration changes was removed; try again")
    }
    return working
  }

  /// Applies the rules of the newer schema that rows satisfy only after the code.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` with rows for which the code set no value.
  private func requireValues(
    _ report: inout StructureReport,
    _ inspect: (([SchemaViolation]) -> Void)?
  ) throws {
    let working = try begin()
    defer { working.end() }
    let change = StructureChange(to: step.new)
    let violations = try working.violations(of: change)
    inspect?(violations)
    if let first = violations.first {
      throw first.error(afterCode: SchemaDifference(from: step.old, to: step.new))
    }
    let second = try working.changeStructure(through: [change]) { _, _ in
      try Task.checkCancellation()
    }
    report.statements += second.statements
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
    var schema = Schema(models, version: version.versionIdentifier)
    if stored === relaxed { schema = schema.with(stored) }
    let core = try ContainerCore(opening: [configuration], for: schema)
    let container = ModelContainer(core: core)
    let context = ModelContext(container)
    context.state.saver.origin = .migration
    context.state.loader.toleratesUnreadable = true
    context.autosaveEnabled = false
    // The body may access the context's container.
    try withExtendedLifetime(container) {
      try body(context)
      if saves {
        try context.save()
      } else if let problem = context.state.problems.first {
        throw problem
      }
    }
  }
}
