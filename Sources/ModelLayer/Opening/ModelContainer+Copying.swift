import StoreProtocol

extension ModelContainer {
  /// The result of a copy.
  public struct CopyReport: Hashable, Sendable {
    /// The number of objects of each entity that were copied and compared.
    public let counts: [String: Int]
    /// A Boolean value that indicates whether all objects keep the keys of the original.
    ///
    /// The next new object then gets the same key in both. Otherwise the other stores assigned keys
    /// of their own: objects keep the order of their keys within a hierarchy, and links that name
    /// keys refer to other objects.
    public let keepsKeys: Bool

    /// The number of all objects.
    public var total: Int { counts.values.reduce(0, +) }
  }

  /// Copies everything into another container's empty stores, and compares both afterwards.
  ///
  /// Objects keep their values, relationships and the order of to-many relationships. They also
  /// keep their keys if the other stores accept them, as all built-in ones do while they are new;
  /// see ``CopyReport/keepsKeys``.
  ///
  /// Each of the other stores gets its objects in one save: a process that is killed leaves it
  /// empty or complete. Memory grows with the number of objects; `copy(toNewStore:)` of
  /// `OpenSwiftData` writes in parts instead.
  ///
  /// - Parameters:
  ///   - other: The container to copy to, with an equal schema and without any object.
  ///   - progress: Called after each batch with the number of objects that were read, or stored,
  ///     and of all objects.
  /// - Returns: The number of objects of each entity, and whether they keep their keys.
  /// - Throws: `DataStoreError.schemaMismatch` if the schemas differ;
  ///   `DataStoreError.invalidConfiguration` if the other stores are not empty or are the same
  ///   ones; `DataStoreError.storeDamaged` if the comparison finds a difference; and errors of the
  ///   stores. The other stores are then erased.
  @discardableResult
  public func copy(
    to other: ModelContainer,
    progress: (_ copied: Int, _ total: Int) -> Void = { _, _ in }
  ) throws -> CopyReport {
    try copy(to: other, inParts: false, progress: progress)
  }

  /// Copies everything into the empty stores of another container, optionally in several saves.
  ///
  /// In parts, memory grows by a few bytes per object, and a process that is killed leaves a part
  /// of the objects: use parts only for stores that do not have their final name yet.
  package func copy(
    to other: ModelContainer,
    inParts: Bool,
    progress: (_ copied: Int, _ total: Int) -> Void
  ) throws -> CopyReport {
    var copy = try StoreCopy(from: core, to: other.core, inParts: inParts)
    do {
      try copy.run(progress: progress)
      let counts = try copy.verify()
      other.core.saves.append()
      return CopyReport(counts: counts, keepsKeys: copy.keepsKeys)
    } catch {
      for store in other.core.stores.all { try? store.erase() }
      throw error
    }
  }

  /// Copies everything into the empty store of a configuration, all or nothing.
  ///
  /// The objects are written into a copy of the store and compared. The copy then replaces the
  /// store at once, as in a migration: a process that is killed leaves the store empty or complete.
  ///
  /// - Parameters:
  ///   - configuration: The store to copy to, which exists and has no object.
  ///   - progress: Called after each batch with the number of objects copied and of all objects.
  /// - Returns: The number of objects of each entity, and whether they keep their keys.
  /// - Throws: Errors of ``copy(to:progress:)``, and `DataStoreError.unsupportedFeature` for a
  ///   store that cannot be migrated. The store is then unchanged.
  package func copy(
    toEmptyStoreOf configuration: any DataStoreConfiguration,
    progress: (_ copied: Int, _ total: Int) -> Void
  ) throws -> CopyReport {
    // A store with objects is refused before a copy of it is made.
    try withContainer(of: configuration) {
      _ = try StoreCopy(from: core, to: $0.core, inParts: true)
    }
    guard let migration = try MigrationKind(of: configuration)?.begin(configuration, false) else {
      throw DataStoreError(
        .unsupportedFeature,
        "the store does not support a copy in one step; open it, and copy to its container"
      )
    }
    defer { migration.end() }
    let report = try withContainer(of: migration.makeCopy()) {
      try copy(to: $0, inParts: true, progress: progress)
    }
    try migration.replaceByCopy()
    return report
  }

  /// Opens a store for this container's models during a piece of work.
  private func withContainer<Result>(
    of configuration: any DataStoreConfiguration,
    _ body: (ModelContainer) throws -> Result
  ) throws -> Result {
    let opened = try ContainerCore(opening: [configuration], for: schema)
    // Not closed: that would end other containers of this process on the same document.
    let container = ModelContainer(core: opened)
    return try withExtendedLifetime(container) { try body(container) }
  }
}
