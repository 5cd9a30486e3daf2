import StoreProtocol

extension ModelContainer {
  /// The result of a copy.
  public struct CopyReport: Hashable, Sendable {
    /// The number of objects of each entity that were copied and compared.
    public let counts: [String: Int]
    /// A Boolean value that says whether all objects have the keys that they have in the original.
    ///
    /// The next new object then gets the key that it would get there. Otherwise the other stores gave
    /// keys of their own: objects keep the order of their keys within a hierarchy, and links that
    /// name keys lead to other objects.
    public let keepsKeys: Bool

    /// The number of all objects.
    public var total: Int { counts.values.reduce(0, +) }
  }

  /// Copies everything into another container's empty stores, and compares both afterwards.
  ///
  /// Objects keep their values, relationships and the order of to-many relationships. They keep their
  /// keys as well where the other stores take them, as all built-in ones do while they are new;
  /// ``CopyReport/keepsKeys`` tells.
  ///
  /// Each of the other stores gets its objects in one save: a process that is killed leaves it empty or
  /// complete. Memory grows with the objects, which `copy(toNewStore:)` of `OpenSwiftData` writes in parts.
  ///
  /// - Parameters:
  ///   - other: The container to copy to, with an equal schema and without any object.
  ///   - progress: Called after each batch with the number of objects that were read, or stored, and of
  ///     all objects.
  /// - Returns: How many objects there are of each entity.
  /// - Throws: `DataStoreError.schemaMismatch` when the schemas differ,
  ///   `DataStoreError.invalidConfiguration` when the other stores are not empty or are the same
  ///   ones, `DataStoreError.storeDamaged` when the comparison finds a difference, and what the
  ///   stores throw. The other stores are then erased.
  @discardableResult
  public func copy(
    to other: ModelContainer,
    progress: (_ copied: Int, _ total: Int) -> Void = { _, _ in }
  ) throws -> CopyReport {
    try copy(to: other, inParts: false, progress: progress)
  }

  /// Copies everything into the empty stores of another container, in several saves if wanted.
  ///
  /// In parts, memory grows by a few bytes an object, and a process that is killed leaves a part of the
  /// objects: for stores that are not named yet.
  package func copy(
    to other: ModelContainer,
    inParts: Bool,
    progress: (_ copied: Int, _ total: Int) -> Void
  ) throws -> CopyReport {
    var copy = try StoreCopy(from: core, to: other.core, inParts: inParts)
    do {
      try copy.run(progress: progress)
      let counts = try copy.verify()
      other.core.changes.post()
      return CopyReport(counts: counts, keepsKeys: copy.keepsKeys)
    } catch {
      for backend in other.core.backends.all { try? backend.erase() }
      throw error
    }
  }

  /// Copies everything into the empty store of a configuration, all of it or nothing.
  ///
  /// The objects are written into a copy of the store and compared. The store then becomes that copy at
  /// once, in the way of a migration: a process that is killed leaves the store empty or complete.
  ///
  /// - Parameters:
  ///   - configuration: The store to copy to, which is there and has no object.
  ///   - progress: Called after each batch with the number of objects copied and of all objects.
  /// - Returns: How many objects there are of each entity.
  /// - Throws: What ``copy(to:progress:)`` throws, and `DataStoreError.unsupportedFeature` for a store
  ///   that cannot be migrated. The store is then unchanged.
  package func copy(
    toEmptyStoreOf configuration: any DataStoreConfiguration,
    progress: (_ copied: Int, _ total: Int) -> Void
  ) throws -> CopyReport {
    // Objects are found before a copy of them is made.
    try withContainer(of: configuration) {
      _ = try StoreCopy(from: core, to: $0.core, inParts: true)
    }
    guard let migration = try MigrationKind(of: configuration)?.begin(configuration, false) else {
      throw DataStoreError(
        .unsupportedFeature,
        "the store cannot take all objects at once; open it, and copy to its container"
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
    let opened = try ContainerCore(
      schema: schema,
      migrationPlan: nil,
      configurations: [configuration]
    )
    // Not closed: that would end other containers of this process on the same document.
    let container = ModelContainer(core: opened)
    return try withExtendedLifetime(container) { try body(container) }
  }
}
