import ModelRuntime
import StoreProtocol

extension RowLoader {
  /// The number of rows that are requested at once.
  private static let refreshBatch = 5_000

  /// Reads an object's row again, and returns whether it exists.
  func refresh(_ model: any PersistentModel, mergeChanges: Bool) throws -> Bool {
    guard let registration = model.registration, registration.context === context else {
      throw SwiftDataError.missingModelContext.with(
        "\(model.persistentModelID) is not registered in this context and cannot be refreshed; "
          + "fetch it "
          + "by its identifier",
        entity: model.persistentModelID.entityName
      )
    }
    if model._$state.flags.contains(.inserted) { return true }
    // Reverting the changes also changes related objects, which undo could not restore.
    defer { if !mergeChanges { context.undo?.clear() } }
    try refresh([model], of: registration, mergeChanges)
    return model._$state.registration != nil
  }

  /// Reads the rows of all objects again.
  func refreshAll(mergeChanges: Bool) throws {
    defer { if !mergeChanges { context.undo?.clear() } }
    context.feed.applySavesOfOthers()
    if !mergeChanges { dropChangesOfSavedObjects() }
    try forEachBatch(of: context.objects.all) { try refresh($0, of: $1, mergeChanges) }
  }

  /// Reverts the unsaved changes of all saved objects; new objects remain.
  private func dropChangesOfSavedObjects() {
    let changed = context.pending.changed + context.pending.deleted
    for model in changed { dropChanges(of: model) }
    // Reverting one object may have changed another again.
    for model in changed { model.restoreOriginals() }
    context.unloadTouched()
    context.pending.keepInserted()
    context.bulkChanges = []
    for model in context.pending.inserted { context.rejoin(model) }
  }

  /// Calls a body with objects of one registration after the other, in parts of limited size.
  func forEachBatch(
    of models: [any PersistentModel],
    _ body: ([any PersistentModel], EntityRegistration) throws -> Void
  ) rethrows {
    for case (let registration?, let all) in Dictionary(grouping: models, by: \.registration) {
      for start in stride(from: 0, to: all.count, by: Self.refreshBatch) {
        try body(Array(all[start..<min(start + Self.refreshBatch, all.count)]), registration)
      }
    }
  }

  /// Reads the rows of objects again; objects without a row vanish.
  func refresh(
    _ models: [any PersistentModel],
    of registration: EntityRegistration,
    _ mergeChanges: Bool
  ) throws {
    defer { context.pending.existingIndex = nil }
    var byIdentifier: [PersistentIdentifier: any PersistentModel] = [:]
    for model in models {
      byIdentifier[model.persistentModelID] = model
      context.updater?.noteChange(of: model)
    }
    var query = StoreQuery.rows(Array(byIdentifier.keys), of: registration.entity.name)
    // A single object is also read with the values that are kept outside of its row. For all
    // objects, that would be too much.
    if models.count == 1 { query.properties = registration.entity.properties.map(\.name) }
    var undeleted: [any PersistentModel] = []
    var reverted: [(model: any PersistentModel, index: Int)] = []
    try registration.store.readRows(of: query) { reader in
      guard let model = byIdentifier.removeValue(forKey: reader.identifier) else { return }
      let wasDeleted = model._$state.flags.contains(.deleted)
      if !mergeChanges { reverted += dropChanges(of: model).map { (model, $0) } }
      context.feed.unloadLists(of: model, except: context.pending.touched)
      try rebase(model, on: reader)
      if wasDeleted, !mergeChanges { undeleted.append(model) }
    }
    for model in undeleted { context.rejoin(model) }
    for model in byIdentifier.values { context.vanish(model) }
    for (model, index) in reverted { context.rejoinLists(model, at: index) }
  }

  /// Sets an object's values to those of its row, below its unsaved changes.
  private func rebase(_ model: any PersistentModel, on reader: RowReader) throws {
    let dirty = Set(model.dirtyIndices)
    for index in 0..<type(of: model)._$count where !dirty.contains(index) {
      if model.isCurrent(index, in: reader) { continue }
      if reader.isDeferred(at: index) {
        model.unload(index)
        continue
      }
      try model.notifyingObservers(of: index) { try model.read(index, from: reader) }
      model.noteLoaded(index)
    }
    for index in dirty.sorted()
    where index < type(of: model)._$count && !reader.isDeferred(at: index) {
      try model.replaceOriginal(of: index, by: Self.content(of: index, in: model, reader))
    }
    model._$state.version = reader.version
  }

  /// Returns the content of a property in a row, as in an object that was just read.
  private static func content(
    of index: Int,
    in model: any PersistentModel,
    _ reader: RowReader
  ) throws -> PropertyContent {
    guard model.registration?.isRelationship[index] == true else {
      return reader.isDeferred(at: index)
        ? .failure(UnloadedValue()) : .value(try reader.value(at: index))
    }
    guard let property = model.registration?.entity.properties[index], property.isToOne else {
      return .fault(0)
    }
    return switch try reader.reference(at: index) {
    case nil: .models([])
    case .integer(let key): .fault(key)
    case let key?:
      .reference(PersistentIdentifier(key, of: property.relationship?.destination ?? ""))
    }
  }

  /// Reverts the unsaved changes of an object, also at the other ends of its relationships.
  ///
  /// - Returns: The relationships that had changes.
  @discardableResult
  private func dropChanges(of model: any PersistentModel) -> [Int] {
    model._$state.flags.remove(.deleted)
    context.pending.mayRepeat = true
    let changed = model.dirtyIndices.filter { model.registration?.isRelationship[$0] == true }
    let before = changed.map { model.related(at: $0) }
    model.restoreOriginals()
    for (index, old) in zip(changed, before) {
      model.relationshipDidChange(index, from: old, to: model.related(at: index))
    }
    return changed
  }
}

extension PersistentModel {
  /// Replaces the content that a rollback restores in a property.
  func replaceOriginal(of index: Int, by content: PropertyContent) {
    let extra = modelExtra
    extra.originals.removeAll { $0.index == index }
    extra.originals.append(Original(index: index, content: content))
  }
}
