import Foundation
import StoreProtocol

extension ModelContext {
  /// Fetches objects.
  ///
  /// The order is that of the descriptor; ties are broken by identity. Unsaved changes are included
  /// as if they had been saved, unless the descriptor excludes them.
  ///
  /// - Throws: `SwiftDataError.unsupportedPredicate` and `unsupportedSortDescriptor`, before
  ///   anything is read, if no query can express the descriptor, such as a computed property; and
  ///   errors of the store.
  /// - Complexity: O(*n*) rows read and objects created, where *n* is the size of the result.
  public func fetch<T>(_ descriptor: FetchDescriptor<T>) throws -> [T] where T: PersistentModel {
    state.existingAutosave?.catchUp(state)
    return try FetchPlan(descriptor, in: state).fetched()
  }

  /// Returns the number of objects of a fetch, without creating objects if no changes are pending.
  public func fetchCount<T>(_ descriptor: FetchDescriptor<T>) throws -> Int
  where T: PersistentModel {
    state.existingAutosave?.catchUp(state)
    return try FetchPlan(descriptor, in: state).count()
  }

  /// Returns the identifiers of the objects of a fetch, in its order.
  public func fetchIdentifiers<T>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel {
    state.existingAutosave?.catchUp(state)
    return try FetchPlan(descriptor, in: state).identifiers()
  }

  /// Fetches lazily, one batch at a time as elements are accessed.
  ///
  /// - Throws: `SwiftDataError.includePendingChangesWithBatchSize` if changes are pending and the
  ///   descriptor includes them.
  public func fetch<T>(
    _ descriptor: FetchDescriptor<T>,
    batchSize: Int
  ) throws -> FetchResultsCollection<T> where T: PersistentModel {
    try refusePendingChanges(descriptor)
    let plan = try FetchPlan(descriptor, in: state)
    return FetchResultsCollection(
      identifiers: try plan.identifiers(),
      batchSize: batchSize
    ) { [state] identifiers in
      state.objectsOrStandIns(of: T.self, for: identifiers, as: plan.query)
    }
  }

  /// Fetches identifiers into a collection of batches.
  ///
  /// - Throws: `SwiftDataError.includePendingChangesWithBatchSize` if changes are pending and the
  ///   descriptor includes them.
  public func fetchIdentifiers<T>(
    _ descriptor: FetchDescriptor<T>,
    batchSize: Int
  ) throws -> FetchResultsCollection<PersistentIdentifier> where T: PersistentModel {
    try refusePendingChanges(descriptor)
    return FetchResultsCollection(
      identifiers: try FetchPlan(descriptor, in: state).identifiers(),
      batchSize: batchSize
    ) { $0 }
  }

  func refusePendingChanges<T>(_ descriptor: FetchDescriptor<T>) throws {
    if descriptor.includePendingChanges, state.hasChanges {
      throw SwiftDataError.includePendingChangesWithBatchSize
    }
  }

  /// Calls a closure for each object of a fetch, in batches that are released in between.
  ///
  /// - Parameters:
  ///   - fetch: The fetch.
  ///   - batchSize: The number of objects to load at a time.
  ///   - allowEscapingMutations: Whether the closure may leave unsaved changes behind.
  ///   - block: Called with each object.
  /// - Throws: `SwiftDataError.modelValidationFailure` if a batch leaves unsaved changes without
  ///   `allowEscapingMutations`, and errors of the closure and the store.
  /// - Complexity: O(*n*) rows read. Memory holds the objects of one batch and a few bytes for each
  ///   identifier; none for consecutive identifiers of a SQLite store.
  public func enumerate<T>(
    _ fetch: FetchDescriptor<T>,
    batchSize: Int = 5000,
    allowEscapingMutations: Bool = false,
    block: (_ model: T) throws -> Void
  ) throws where T: PersistentModel {
    let plan = try FetchPlan(fetch, in: state)
    var identifiers = try plan.packedIdentifiers()
    let size = max(1, batchSize)
    while case let batch = identifiers.next(size), !batch.isEmpty {
      let wasChanged = state.hasChanges
      for model in try state.fetchedObjects(of: T.self, for: batch, as: plan.query) {
        try block(model)
      }
      if !allowEscapingMutations, state.hasChanges, !wasChanged {
        throw SwiftDataError.modelValidationFailure.with(
          "the closure of enumerate left unsaved changes, which keep each batch in memory; save "
            + "in the closure, or pass allowEscapingMutations: true",
          entity: Schema.entityName(for: T.self)
        )
      }
      state.evictUnused()
    }
  }

  /// Returns the object of an identifier if it is registered in the context.
  public func registeredModel<T>(for persistentModelID: PersistentIdentifier) -> T?
  where T: PersistentModel {
    state.registeredModel(for: persistentModelID)
  }

  /// Returns the object of an identifier: the registered one, else the stored one, else a stand-in.
  ///
  /// A stand-in has the identifier and placeholder values, and belongs to no context. Its
  /// `isDeleted` is true.
  ///
  /// - Precondition: The container's schema has the identifier's entity, or any model at all.
  public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
    state.model(for: persistentModelID)
  }

  /// Deletes the objects of a model that satisfy a predicate.
  ///
  /// Like other deletions it takes effect at the next save, and applies the delete rules of
  /// relationships. It concerns the objects that match now: objects that another context saves before
  /// that are not deleted.
  ///
  /// - Parameters:
  ///   - model: The model type.
  ///   - predicate: The condition for objects to be deleted. `nil` matches all objects.
  ///   - includeSubclasses: Whether objects of models that inherit from it are deleted too.
  /// - Throws: Errors of ``fetch(_:)-(FetchDescriptor<T>)``.
  /// - Complexity: O(*n*) objects in memory until they are saved, or *n* identifiers if two conditions
  ///   are met. The store applies such changes itself, by statements of SQLite and PostgreSQL
  ///   (``RecordStore/plan(_:explained:)``). The context has neither unsaved changes nor
  ///   objects that the deletion could concern.
  public func delete<T>(
    model: T.Type,
    where predicate: Predicate<T>? = nil,
    includeSubclasses: Bool = true
  ) throws where T: PersistentModel {
    try BulkChanges(in: state).delete(
      model: model,
      where: predicate,
      includeSubclasses: includeSubclasses
    )
  }
}
