import Foundation
import ModelRuntime
import StoreProtocol

/// Makes the changes of all objects that queries find, which a context leaves to the stores until the
/// objects are looked at (``ContextState/bulkChanges``).
///
/// A store changes any number of rows by one statement, without an object of any. A change is left to
/// it only if the program cannot see the difference: nothing else is pending, and the context has no
/// object that the change could concern.
struct BulkChanges {
  private let context: ContextState

  init(in context: ContextState) {
    self.context = context
  }

  /// Deletes the objects of a model that satisfy a predicate.
  func delete<T>(
    model: T.Type,
    where predicate: Predicate<T>? = nil,
    includeSubclasses: Bool = true
  ) throws where T: PersistentModel {
    let rows = try leave(to: FetchDescriptor(predicate: predicate)) { query in
      var query = query
      query.includesSubentities = includeSubclasses
      return .delete(query)
    } otherwise: { context, model, _ in
      context.markDeleted(model)
    }
    if rows != nil { return }
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
    let rows = try leave(to: descriptor) { query in
      let scope = context.queryScope(of: T.self)
      let assignments = updates.map { $0.assignment(scope) }
      guard !assignments.contains(nil) else { return nil }
      return .update(query, assignments.compactMap(\.self))
    } otherwise: { _, model, values in
      for (number, update) in updates.enumerated() {
        try update.assign(model, values.isEmpty ? .null : values[number])
      }
    }
    if let rows { return rows.count }
    return try updateObjects(descriptor, updates)
  }

  /// Applies all waiting changes to objects, before these are read.
  ///
  /// A change of rows that another save deleted keeps waiting: the store refuses it, as it refuses a
  /// change of their objects.
  ///
  /// - Throws: Errors of the fetch; changes that were not applied keep waiting.
  func carryOut() throws {
    // Changes that a store may have applied already are not applied again.
    guard context.existingSaver?.indeterminate == nil else { return }
    let changes = context.bulkChanges
    context.bulkChanges = []
    var missing: [PendingBulkChange] = []
    for (index, change) in changes.enumerated() {
      do {
        missing += try change.carriedOut(in: context).map { [$0] } ?? []
      } catch {
        context.bulkChanges = missing + changes[index...]
        throw error
      }
    }
    context.bulkChanges = missing
  }

  /// Leaves a change of all objects of a fetch to their store, if the difference cannot be
  /// observed.
  ///
  /// - Parameters:
  ///   - descriptor: The fetch.
  ///   - make: Returns the change, or `nil` if stores cannot express it.
  ///   - assign: Applies the change to an object, with the values of a change that computes some.
  /// - Returns: The rows, or `nil` if the change is not left to the store.
  /// - Throws: Errors of lowering and of reading.
  private func leave<T: PersistentModel>(
    to descriptor: FetchDescriptor<T>,
    _ make: (StoreQuery) throws -> BulkChange?,
    otherwise assign: @escaping (ContextState, T, [StoreValue]) throws -> Void
  ) throws -> [PersistentIdentifier]? {
    guard context.pending.isEmpty, context.saver.indeterminate == nil, context.undo == nil,
      context.problems.isEmpty, !context.requiresNativeFetches,
      !context.saver.mergePolicy.needsVersions, !context.core.schema.limitsCounts,
      let registration = context.registration(for: T.self)
    else { return nil }
    context.feed.applySavesOfOthers()
    let query = try StoreQuery(descriptor, in: context.queryScope(of: T.self))
    guard let change = try make(query) else { return nil }
    guard context.bulkChanges.isEmpty || isIndependent(change) else {
      try carryOut()
      return nil
    }
    let reach = BulkReach(change, schema: context.core.schema.storeSchema)
    guard try registration.store.plan(.change(change)).isComplete, hasNothing(of: reach) else {
      return nil
    }
    let rows = try BulkRows(change, in: registration.store, context.core.schema.storeSchema)
    if rows.identifiers.isEmpty { return [] }
    context.updater?.noteOthers(of: reach.roots)
    let waiting = PendingBulkChange(rows, of: registration) { try assign($0, $1, $2) }
    context.bulkChanges.append(waiting)
    context.changeHappened()
    return rows.identifiers
  }

  /// Whether a change concerns the same objects if the waiting ones are made first.
  ///
  /// Objects that an earlier deletion deletes are simply deleted.
  private func isIndependent(_ change: BulkChange) -> Bool {
    guard case .delete(let query) = change, context.bulkChanges.allSatisfy(\.isDeletion) else {
      return false
    }
    return query.readsOwnValues(context.core.schema.storeSchema)
  }

  /// Whether the context has no object that a change could concern.
  private func hasNothing(of reach: BulkReach) -> Bool {
    if registeredObjects(of: reach) == 0 { return true }
    context.evictUnused()
    return registeredObjects(of: reach) == 0
  }

  private func registeredObjects(of reach: BulkReach) -> Int {
    reach.roots.reduce(0) { $0 + (context.objects.identityMap(named: $1)?.count ?? 0) }
  }

  private func deleteObjects<T: PersistentModel>(
    _ model: T.Type,
    where predicate: Predicate<T>?,
    includeSubclasses: Bool
  ) throws {
    let found = try FetchPlan(FetchDescriptor<T>(predicate: predicate), in: context).fetched()
      .filter { includeSubclasses || type(of: $0) == model }
    let merges =
      context.pending.inserted.isEmpty ? PendingMerges() : try PendingMerges(in: context)
    for object in found { context.markDeleted(object) }
    // A new object represents all that it would be merged with; they are deleted with it.
    for object in merges.replacedModels {
      let successor = merges.successor(of: object)
      if successor.isMarkedDeleted { context.markDeleted(object, .successor(successor)) }
    }
  }

  private func updateObjects<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    _ updates: [PropertyUpdate<T>]
  ) throws -> Int {
    let models = try FetchPlan(descriptor, in: context).fetched()
    let live = LiveEvaluation(context: context)
    let scope = context.queryScope(of: T.self)
    let preparing = try updates.map { try $0.prepare(live, scope) }
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
