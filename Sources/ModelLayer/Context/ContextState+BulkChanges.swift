import Foundation
import ModelRuntime
import StoreProtocol

extension ContextState {
  /// Deletes the objects of a model that satisfy a predicate.
  func delete<T>(
    model: T.Type,
    where predicate: Predicate<T>? = nil,
    includeSubclasses: Bool = true
  ) throws where T: PersistentModel {
    let part = try leave(to: FetchDescriptor(predicate: predicate)) { query in
      var query = query
      query.includesSubentities = includeSubclasses
      return .delete(query)
    } otherwise: { context in
      try context.deleteObjects(model, where: predicate, includeSubclasses: includeSubclasses)
    }
    if part != nil { return }
    try deleteObjects(model, where: predicate, includeSubclasses: includeSubclasses)
  }

  /// Changes properties of all objects that satisfy a predicate.
  ///
  /// - Returns: The number of objects.
  func update<T>(
    where predicate: Predicate<T>?,
    _ updates: [PropertyUpdate<T>]
  ) throws -> Int where T: PersistentModel {
    let descriptor = FetchDescriptor(predicate: predicate)
    if !bulkChanges.isEmpty { try carryOutBulkChanges() }
    let part = try leave(to: descriptor) { query in
      let assignments = updates.map { $0.assignment(core.schema) }
      guard !assignments.contains(nil) else { return nil }
      return .update(query, assignments.compactMap(\.self))
    } otherwise: { context in
      _ = try context.updateObjects(descriptor, updates)
    }
    guard let part, let pending = bulkChanges.last else {
      return try updateObjects(descriptor, updates)
    }
    do {
      return try part.rowCount ?? pending.backend.count(pending.change.query)
    } catch {
      bulkChanges.removeLast()
      throw error
    }
  }

  /// Applies all waiting changes to objects, before these are read.
  ///
  /// - Throws: Errors of the fetch; changes that were not applied keep waiting.
  func carryOutBulkChanges() throws {
    // Changes that a store may have applied already are not applied again.
    guard !bulkChanges.isEmpty, indeterminateSave == nil else { return }
    let waiting = bulkChanges
    bulkChanges = []
    for (index, pending) in waiting.enumerated() {
      do {
        try pending.perform(self)
      } catch {
        bulkChanges = Array(waiting[index...])
        throw error
      }
    }
  }

  /// Leaves a change of all objects of a fetch to their store, if the difference cannot be
  /// observed.
  ///
  /// - Returns: The store's part of the change, or `nil` if it is not left to the store.
  private func leave<T: PersistentModel>(
    to descriptor: FetchDescriptor<T>,
    _ make: (StoreQuery) throws -> BulkChange?,
    otherwise perform: @escaping (ContextState) throws -> Void
  ) throws -> StoreQueryPart? {
    guard pending.isEmpty, indeterminateSave == nil, undo == nil, problems.isEmpty,
      !requiresNativeFetches,
      !core.schema.limitsCounts, let registration = registration(for: T.self)
    else { return nil }
    applySavesOfOthers()
    let query = try StoreQuery(descriptor, schema: core.schema)
    guard let change = try make(query) else { return nil }
    let part = try registration.backend.part(of: change)
    let reach = BulkReach(change, schema: core.schema.storeSchema)
    guard part.isComplete, hasNothing(of: reach) else { return nil }
    updater?.noteOthers(of: reach.roots)
    bulkChanges.append(
      PendingBulkChange(backend: registration.backend, change: change, perform: perform)
    )
    changeHappened()
    return part
  }

  /// Whether the context has no object that a change could concern.
  private func hasNothing(of reach: BulkReach) -> Bool {
    if registeredObjects(of: reach) == 0 { return true }
    evictUnused()
    return registeredObjects(of: reach) == 0
  }

  private func registeredObjects(of reach: BulkReach) -> Int {
    reach.roots.reduce(0) { $0 + (objects.identityMap(named: $1)?.count ?? 0) }
  }

  private func deleteObjects<T: PersistentModel>(
    _ model: T.Type,
    where predicate: Predicate<T>?,
    includeSubclasses: Bool
  ) throws {
    let found = try fetch(FetchDescriptor<T>(predicate: predicate))
      .filter { includeSubclasses || type(of: $0) == model }
    let merges = pending.inserted.isEmpty ? PendingMerges() : try PendingMerges(in: self)
    for object in found { markDeleted(object) }
    // A new object represents all that it would be merged with; they are deleted with it.
    for object in merges.replacedModels
    where merges.successors[ObjectIdentifier(object)]?.isMarkedDeleted == true {
      markDeleted(object)
    }
  }

  private func updateObjects<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    _ updates: [PropertyUpdate<T>]
  ) throws -> Int {
    let models = try fetch(descriptor)
    let live = LiveEvaluation(context: self)
    let preparing = try updates.map { try $0.prepare(live, core.schema) }
    let prepared = try models.flatMap { model in try preparing.map { try $0(model) } }
    for set in prepared { set() }
    return models.count
  }
}

extension Schema {
  /// Whether any relationship has a smallest or largest number of elements, which no store checks.
  fileprivate var limitsCounts: Bool {
    entities.contains { entity in
      entity.relationships.contains {
        ($0.minimumModelCount ?? 0) > 0 || ($0.maximumModelCount ?? 0) > 0
      }
    }
  }
}
