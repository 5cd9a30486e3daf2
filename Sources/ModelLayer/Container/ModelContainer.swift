import ModelRuntime
import StoreProtocol

/// The models of a program with the stores that keep them.
///
/// A container may be shared freely; each task creates its own context from it.
public final class ModelContainer: Equatable, Sendable {
  let core: ContainerCore
  @MainActor private var main: ModelContext?

  init(core: ContainerCore) {
    self.core = core
  }

  /// The models.
  public var schema: Schema { core.schema }

  /// The plan that migrates older data to the schema.
  public var migrationPlan: (any SchemaMigrationPlan.Type)? { core.migrationPlan }

  /// The configurations of the container's stores.
  public var allConfigurations: [any DataStoreConfiguration] { core.configurations }

  /// The stores, one per configuration.
  public var stores: [any DataStore] { core.stores.opened }

  /// Returns the identifier of the store of a configuration, or `nil` if the container has no
  /// configuration with the name.
  public func storeIdentifier(forConfigurationNamed name: String) -> String? {
    stores.first { Self.configurationName(of: $0) == name }?.identifier
  }

  /// Returns the name of the configuration of a store, or `nil` if the container has no store with
  /// the identifier.
  public func configurationName(forStoreIdentifier identifier: String) -> String? {
    stores.first { $0.identifier == identifier }.map(Self.configurationName)
  }

  private static func configurationName(of store: any DataStore) -> String {
    let configuration: any DataStoreConfiguration = store.configuration
    return configuration.name
  }

  /// Returns the capabilities of a model type's store, or `nil` if the schema lacks the type.
  public func capabilities<T: PersistentModel>(for type: T.Type) -> StoreCapabilities? {
    core.stores.byEntity[Schema.entityName(for: type)]?.capabilities
  }

  /// The context of the main actor.
  @MainActor public var mainContext: ModelContext {
    if let main { return main }
    let context = ModelContext(self)
    context.autosaveEnabled = true
    context.state.isMain = true
    main = context
    return context
  }

  /// Removes all data of all stores at once, irrevocably.
  ///
  /// - Throws: Errors of a store; stores before it are then already empty.
  public func erase() throws {
    for store in core.stores.all { try store.erase() }
    core.saves.append(hasErased: true)
  }

  /// Closes the stores: waits for active saves and fetches, and releases the files.
  ///
  /// Call it when a program shuts down, after its last request. Saved changes are in the stores;
  /// unsaved changes of contexts are not saved. Each later request of any context of the container
  /// throws ``DataStoreError/storeClosed``. Relationships that were not loaded read as empty, and
  /// the next save reports it. The other containers of this process that have the same JSON file open
  /// are closed too. A second call does nothing. In-memory stores without a file need not
  /// be closed.
  ///
  /// - Throws: Errors of a store; the others are then closed too.
  public func close() throws {
    core.saves.watchStores(isClosing: true)
    var failure: (any Error)?
    for store in core.stores.all {
      do {
        try store.close()
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  /// Removes all data of all stores, and ignores errors of a store.
  // Deprecated in a later version only, as in SwiftData, so that nothing warns today.
  @available(swift, deprecated: 100000, renamed: "erase()")
  public func deleteAllData() {
    try? erase()
  }

  /// Compares containers by the stores that they have opened.
  public static func == (lhs: ModelContainer, rhs: ModelContainer) -> Bool {
    lhs.core === rhs.core
  }
}
