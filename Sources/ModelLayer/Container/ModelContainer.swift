import StoreProtocol

/// The models of a program with the stores that keep them.
///
/// A container may be shared freely; each task makes its own context from it.
public final class ModelContainer: Equatable, Sendable {
  let core: ContainerCore
  @MainActor private var main: ModelContext?

  /// Opens the stores of configurations, making them where there are none.
  ///
  /// A store with an older schema is brought to this one: by the plan, and without one where that
  /// needs no code. A plan reaches every kind of store.
  ///
  /// - Throws: `SwiftDataError.loadIssueModelContainer` when the schema contradicts itself,
  ///   `SwiftDataError.duplicateConfiguration` or
  ///   `SwiftDataError.configurationSchemaNotFoundInContainerSchema` when the configurations do,
  ///   and what the stores throw.
  public init(
    for givenSchema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    migrationOptions: MigrationOptions = MigrationOptions(),
    configurations: [any DataStoreConfiguration]
  ) throws {
    core = try ContainerCore(
      schema: givenSchema,
      migrationPlan: migrationPlan,
      migrationOptions: migrationOptions,
      configurations: configurations
    )
  }

  init(core: ContainerCore) {
    self.core = core
  }

  /// The models.
  public var schema: Schema { core.schema }

  /// How older data comes to the schema.
  public var migrationPlan: (any SchemaMigrationPlan.Type)? { core.migrationPlan }

  /// Opens the stores of configurations for model types.
  public convenience init(
    for forTypes: any PersistentModel.Type...,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    migrationOptions: MigrationOptions = MigrationOptions(),
    configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(
      for: Schema(forTypes),
      migrationPlan: migrationPlan,
      migrationOptions: migrationOptions,
      configurations: configurations
    )
  }

  /// Opens the stores of configurations for a schema.
  public convenience init(
    for givenSchema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    migrationOptions: MigrationOptions = MigrationOptions(),
    configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(
      for: givenSchema,
      migrationPlan: migrationPlan,
      migrationOptions: migrationOptions,
      configurations: configurations
    )
  }

  /// The configurations of the container's stores.
  public var allConfigurations: [any DataStoreConfiguration] { core.configurations }

  /// The stores, one a configuration.
  public var stores: [any DataStore] { core.backends.all.map(\.store) }

  /// What the store of a model type can do, or nil where the schema lacks the type.
  public func capabilities<T: PersistentModel>(for type: T.Type) -> StoreCapabilities? {
    core.backends.backend(for: Schema.entityName(for: type))?.capabilities
  }

  /// The context of the main actor.
  @MainActor public var mainContext: ModelContext {
    if let main { return main }
    let context = ModelContext(self)
    context.autosaveEnabled = true
    main = context
    return context
  }

  /// Removes all data of all stores at once, irrevocably.
  ///
  /// - Throws: What a store throws; stores before it are then empty already.
  public func erase() throws {
    for backend in core.backends.all { try backend.erase() }
    core.changes.post(hasErased: true)
  }

  /// Closes the stores: waits for the saves and fetches that are under way, and releases the files.
  ///
  /// Call it when a program ends in an orderly way, after its last request. What was saved is in the
  /// stores; unsaved changes of contexts are not saved. Each later request of any context of the
  /// container throws ``DataStoreError/storeClosed``; relationships that were not loaded read as empty,
  /// and the next save says so. A second call does nothing. Stores in memory without a file need no end.
  ///
  /// - Throws: What a store throws; the others are closed then too.
  public func close() throws {
    core.changes.feed.others.watch(false)
    var failure: (any Error)?
    for backend in core.backends.all {
      do {
        try backend.withStore { try $0.close() }
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  /// Removes all data of all stores; what a store throws is lost.
  @available(*, deprecated, renamed: "erase()")
  public func deleteAllData() {
    try? erase()
  }

  /// Compares containers by the stores that they have opened.
  public static func == (lhs: ModelContainer, rhs: ModelContainer) -> Bool {
    lhs.core === rhs.core
  }
}
