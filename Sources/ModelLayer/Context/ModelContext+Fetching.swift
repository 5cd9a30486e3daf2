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
    state.autosave.catchUp(state)
    return try state.fetch(descriptor)
  }

  /// Returns the number of objects of a fetch, without creating objects if no changes are pending.
  public func fetchCount<T>(_ descriptor: FetchDescriptor<T>) throws -> Int
  where T: PersistentModel {
    state.autosave.catchUp(state)
    return try state.fetchCount(descriptor)
  }

  /// Returns the identifiers of the objects of a fetch, in its order.
  public func fetchIdentifiers<T>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel {
    state.autosave.catchUp(state)
    return try state.fetchIdentifiers(descriptor)
  }

  /// Fetches lazily, one batch at a time as elements are accessed.
  ///
  /// - Throws: `SwiftDataError.includePendingChangesWithBatchSize` if changes are pending and the
  ///   descriptor includes them.
  public func fetch<T>(
    _ descriptor: FetchDescriptor<T>,
    batchSize: Int
  ) throws -> FetchResultsCollection<T> where T: PersistentModel {
    try state.fetch(descriptor, batchSize: batchSize)
  }

  /// Fetches identifiers into a collection of batches.
  ///
  /// - Throws: `SwiftDataError.includePendingChangesWithBatchSize` if changes are pending and the
  ///   descriptor includes them.
  public func fetchIdentifiers<T>(
    _ descriptor: FetchDescriptor<T>,
    batchSize: Int
  ) throws -> FetchResultsCollection<PersistentIdentifier> where T: PersistentModel {
    try state.fetchIdentifiers(descriptor, batchSize: batchSize)
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
    try state.enumerate(
      fetch,
      batchSize: batchSize,
      allowEscapingMutations: allowEscapingMutations,
      block: block
    )
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
  /// relationships.
  ///
  /// - Parameters:
  ///   - model: The model type.
  ///   - predicate: The condition for objects to be deleted. `nil` matches all objects.
  ///   - includeSubclasses: Whether objects of models that inherit from it are deleted too.
  /// - Throws: Errors of ``fetch(_:)``.
  /// - Complexity: O(*n*) objects in memory until they are saved, or none if two conditions are
  ///   met. The store applies such changes itself, by statements of SQLite and PostgreSQL
  ///   (``RecordStore/part(of:)-(BulkChange)``). The context has neither unsaved changes nor
  ///   objects that the deletion could concern.
  public func delete<T>(
    model: T.Type,
    where predicate: Predicate<T>? = nil,
    includeSubclasses: Bool = true
  ) throws where T: PersistentModel {
    try state.delete(model: model, where: predicate, includeSubclasses: includeSubclasses)
  }
}
