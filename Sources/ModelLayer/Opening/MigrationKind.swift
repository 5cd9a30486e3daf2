import StoreProtocol

/// The way in which the migration of a kind of store begins: by the store itself, or by rewriting
/// its rows.
struct MigrationKind {
  /// Begins the migration of a configuration, or of a copy that is a part of another migration.
  let begin: (any DataStoreConfiguration, _ isCopy: Bool) throws -> (any StoreMigration)?
  /// Removes the copy of a copy, after its last reader has ended.
  let discard: (any DataStoreConfiguration) -> Void
  /// Whether the store migrates itself to another schema when it is opened.
  private let changesWhenOpened: Bool

  /// Finds the kind of a configuration's store.
  ///
  /// It returns `nil` for a store that receives the plan only in its initializer.
  init?(of configuration: any DataStoreConfiguration) {
    let type = Self.store(of: configuration)
    if let type = type as? any MigratableStore.Type {
      begin = { configuration, _ in try type.begin(configuration) }
      discard = { _ in }
      changesWhenOpened = true
    } else if let type = type as? any RewritableStore.Type {
      begin = { try type.beginRewriting($0, isCopy: $1) }
      discard = { type.removeStore($0) }
      changesWhenOpened = false
    } else {
      return nil
    }
  }

  /// Migrates a store to a schema if no code is needed, unless it does so when it is opened.
  func migrateWithoutPlan(
    _ configuration: any DataStoreConfiguration,
    to target: StoreSchema
  ) throws {
    guard !changesWhenOpened, let migration = try begin(configuration, false) else { return }
    defer { migration.end() }
    guard migration.schema.fingerprint != target.fingerprint else { return }
    try SchemaDifference(from: migration.schema, to: target)
      .requireNoLaterVersion(file: configuration.name)
    _ = try migration.changeStructure(through: [StructureChange(to: target)]) { _, _ in
      try Task.checkCancellation()
    }
  }

  private static func store<C: DataStoreConfiguration>(of configuration: C) -> Any.Type {
    C.Store.self
  }
}

extension MigratableStore {
  /// Begins the migration if the configuration is of the store's type.
  fileprivate static func begin(
    _ configuration: any DataStoreConfiguration
  ) throws -> (any StoreMigration)? {
    guard let own = configuration as? Configuration else { return nil }
    return try beginMigration(of: own)
  }
}

extension RewritableStore {
  /// Begins the migration by rewriting if the configuration is of the store's type.
  fileprivate static func beginRewriting(
    _ configuration: any DataStoreConfiguration,
    isCopy: Bool
  ) throws -> (any StoreMigration)? {
    guard let own = configuration as? Configuration else { return nil }
    return try RewritingMigration<Self>(own, isCopy: isCopy)
  }

  /// Removes the store of a configuration if that is of the store's type.
  fileprivate static func removeStore(_ configuration: any DataStoreConfiguration) {
    if let own = configuration as? Configuration { remove(own) }
  }
}
