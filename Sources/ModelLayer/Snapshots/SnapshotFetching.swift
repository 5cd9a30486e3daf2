import StoreProtocol

/// Fetches the values of objects, without the objects if the context has no unsaved changes.
struct SnapshotFetching {
  private let followed: Set<AnyKeyPath>
  private let context: ContextState

  init(following followed: Set<AnyKeyPath>, in context: ContextState) {
    self.followed = followed
    self.context = context
  }

  func snapshots<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> [ModelSnapshot<T>] {
    context.existingAutosave?.catchUp(context)
    if let stored = try stored(FetchPlan(descriptor, in: context)) { return stored }
    return try snapshots(of: FetchPlan(descriptor, in: context).fetched())
  }

  func page<T: PersistentModel>(
    _ page: PageDescriptor<T>
  ) throws -> FetchPage<ModelSnapshot<T>> {
    try context.page(page, { $0.persistentModelID }) { plan in
      try stored(plan) ?? snapshots(of: plan.programModels())
    }
  }

  /// Reads the snapshots of a plan without objects, or returns `nil` if that is not possible.
  private func stored<T: PersistentModel>(
    _ plan: @autoclosure () throws -> FetchPlan<T>
  ) throws -> [ModelSnapshot<T>]? {
    if context.hasChanges { return nil }
    let plan = try plan()
    return try records(of: plan.registration, plan.readRows)?.map { ModelSnapshot($0) }
  }

  private func snapshots<T: PersistentModel>(of models: [T]) throws -> [ModelSnapshot<T>] {
    try models.map { model in
      var builder = SnapshotBuilder(following: followed)
      return ModelSnapshot(try builder.record(of: model))
    }
  }

  func snapshot<T: PersistentModel>(
    of type: T.Type,
    for id: PersistentIdentifier
  ) throws -> ModelSnapshot<T>? {
    guard let entry = context.entry(of: id), context.registration(for: type) != nil else {
      return nil
    }
    context.existingAutosave?.catchUp(context)
    if !context.hasChanges, entry.isOfStore {
      let records = try records(of: entry.registration) { body in
        try entry.registration.store.readRows(of: entry.registration.query(forRow: id.key), body)
      }
      if let records { return records.first.flatMap { ModelSnapshot<T>($0).as(type) } }
    }
    let found = context.model(for: id)
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
    _ read: ((RowReader) throws -> Void) throws -> Void
  ) throws -> [SnapshotRecord]? {
    var reading = SnapshotReading(following: followed, in: context)
    if followed.isEmpty { return try reading.records(read) }
    var records: [SnapshotRecord]?
    try registration.store.readingOneState { records = try reading.records(read) }
    return records
  }
}
