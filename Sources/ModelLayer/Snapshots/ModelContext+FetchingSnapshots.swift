import StoreProtocol

extension ModelContext {
  /// Fetches the values of objects, with the identifiers of related objects.
  ///
  /// The result equals that of ``fetch(_:)`` with ``PersistentModel/snapshot()`` of each object. If
  /// the context has no unsaved changes, no objects are created, which is efficient for a server:
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
    try state.fetchSnapshots(descriptor, following: [])
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
    return try state.fetchSnapshots(descriptor, following: followed)
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
    try state.fetchSnapshot(of: type, for: id, following: [])
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
    return try state.fetchSnapshot(of: type, for: id, following: followed)
  }
}

extension ContextState {
  fileprivate func fetchSnapshots<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    following followed: Set<AnyKeyPath>
  ) throws -> [ModelSnapshot<T>] {
    autosave.catchUp(self)
    if !hasChanges {
      let plan = try FetchPlan(descriptor, in: self)
      let records = try records(of: plan.registration, following: followed, plan.readRows)
      if let records { return records.map { ModelSnapshot($0) } }
    }
    return try fetch(descriptor).map { model in
      var builder = SnapshotBuilder(following: followed)
      return ModelSnapshot(try builder.record(of: model))
    }
  }

  fileprivate func fetchSnapshot<T: PersistentModel>(
    of type: T.Type,
    for id: PersistentIdentifier,
    following followed: Set<AnyKeyPath>
  ) throws -> ModelSnapshot<T>? {
    guard let entry = entry(of: id), registration(for: type) != nil else { return nil }
    autosave.catchUp(self)
    if !hasChanges, entry.isOfStore {
      let records = try records(of: entry.registration, following: followed) { body in
        try entry.registration.store.readRows(of: entry.registration.query(forRow: id.key), body)
      }
      if let records { return records.first.flatMap { ModelSnapshot<T>($0).as(type) } }
    }
    let found = model(for: id)
    guard !found.isDeleted, let found = found as? T else { return nil }
    var builder = SnapshotBuilder(following: followed)
    return ModelSnapshot(try builder.record(of: found))
  }

  /// Reads snapshots without objects, all of a store's snapshots and their related rows in one
  /// state of it.
  ///
  /// - Returns: The snapshots, or `nil` if values of the rows are stored elsewhere.
  private func records(
    of registration: EntityRegistration,
    following followed: Set<AnyKeyPath>,
    _ read: ((RowReader) throws -> Void) throws -> Void
  ) throws -> [SnapshotRecord]? {
    var reading = SnapshotReading(following: followed, in: self)
    if followed.isEmpty { return try reading.records(read) }
    var records: [SnapshotRecord]?
    try registration.store.readingOneState { records = try reading.records(read) }
    return records
  }
}
