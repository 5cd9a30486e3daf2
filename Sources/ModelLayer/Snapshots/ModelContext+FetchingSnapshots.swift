import StoreProtocol

extension ModelContext {
  /// Fetches the values of objects, with the identifiers of related objects.
  ///
  /// The result equals that of ``fetch(_:)-(FetchDescriptor<T>)`` with
  /// ``PersistentModel/snapshot()`` of each object. If the context has no unsaved changes, no objects
  /// are created, which is efficient for a server:
  ///
  /// ```swift
  /// let page = try JSONEncoder().encode(context.fetchSnapshots(descriptor))
  /// ```
  ///
  /// - Parameter descriptor: The fetch. Attributes that it leaves out are fetched too.
  /// - Returns: The snapshots in the descriptor's order.
  /// - Throws: Errors of the fetch, and of ``PersistentModel/snapshot()``.
  /// - Complexity: A query, and one for each to-many relationship.
  public func fetchSnapshots<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> [ModelSnapshot<T>] {
    try SnapshotFetching(following: [], in: state).snapshots(descriptor)
  }

  /// Fetches the values of objects, with those of the objects of chosen relationships.
  ///
  /// ```swift
  /// let trips = try context.fetchSnapshots(descriptor, including: \.items, \Item.tags)
  /// ```
  ///
  /// - Parameters:
  ///   - descriptor: The fetch.
  ///   - relationship: A relationship of the model.
  ///   - others: Relationships of this and of other models.
  /// - Returns: The snapshots in the descriptor's order, equal to those of
  ///   ``PersistentModel/snapshot(including:_:)``.
  /// - Throws: Errors of the fetch, and of ``PersistentModel/snapshot(including:_:)``.
  /// - Complexity: A query, and one for each relationship on each level, whatever the number of
  ///   objects.
  public func fetchSnapshots<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    including relationship: PartialKeyPath<T>,
    _ others: AnyKeyPath...
  ) throws -> [ModelSnapshot<T>] {
    let followed = try SnapshotBuilder.relationships([relationship] + others)
    return try SnapshotFetching(following: followed, in: state).snapshots(descriptor)
  }

  /// Fetches the values of the objects of one page, with those of the objects of chosen relationships.
  ///
  /// No objects are created if the context has no unsaved changes.
  ///
  /// - Parameters:
  ///   - page: The page, of ``FetchDescriptor/page(after:)``.
  ///   - relationships: Relationships of this and of other models whose objects are included.
  /// - Returns: The page.
  /// - Throws: Errors of ``fetch(_:)-(PageDescriptor<T>)`` and ``fetchSnapshots(_:including:_:)``.
  public func fetchSnapshots<T: PersistentModel>(
    _ page: PageDescriptor<T>,
    including relationships: AnyKeyPath...
  ) throws -> FetchPage<ModelSnapshot<T>> {
    try refusePendingChanges(page.descriptor)
    let followed = try SnapshotBuilder.relationships(relationships)
    return try SnapshotFetching(following: followed, in: state).page(page)
  }

  /// Fetches the values of one object, with the identifiers of related objects.
  ///
  /// - Parameters:
  ///   - type: The model, or one that it inherits from.
  ///   - id: The object's identifier.
  /// - Returns: The snapshot, or `nil` if the store has no such object of that model.
  /// - Throws: Errors of the fetch, and of ``PersistentModel/snapshot()``.
  public func fetchSnapshot<T: PersistentModel>(
    of type: T.Type,
    for id: PersistentIdentifier
  ) throws -> ModelSnapshot<T>? {
    try SnapshotFetching(following: [], in: state).snapshot(of: type, for: id)
  }

  /// Fetches the values of one object, with those of the objects of chosen relationships.
  ///
  /// - Parameters:
  ///   - type: The model, or one that it inherits from.
  ///   - id: The object's identifier.
  ///   - relationship: A relationship of the model.
  ///   - others: Relationships of this and of other models.
  /// - Returns: The snapshot, or `nil` if the store has no such object of that model.
  /// - Throws: Errors of the fetch, and of ``PersistentModel/snapshot(including:_:)``.
  public func fetchSnapshot<T: PersistentModel>(
    of type: T.Type,
    for id: PersistentIdentifier,
    including relationship: PartialKeyPath<T>,
    _ others: AnyKeyPath...
  ) throws -> ModelSnapshot<T>? {
    let followed = try SnapshotBuilder.relationships([relationship] + others)
    return try SnapshotFetching(following: followed, in: state).snapshot(of: type, for: id)
  }
}
