import Foundation
import StoreProtocol

extension ModelContext {
  /// Fetches objects.
  ///
  /// The order is that of the descriptor, ties broken by identity. Unsaved changes take part as if
  /// they had been saved, unless the descriptor says otherwise.
  ///
  /// - Throws: `SwiftDataError.unsupportedPredicate` and `unsupportedSortDescriptor` for what no query
  ///   can say, such as a computed property, before anything is read, and what the store throws.
  /// - Complexity: O(*n*) rows read and objects made, where *n* is the size of the answer.
  public func fetch<T>(_ descriptor: FetchDescriptor<T>) throws -> [T] where T: PersistentModel {
    state.autosave.catchUp(state)
    return try state.fetch(descriptor)
  }

  /// Counts what a fetch would give, without making objects where nothing is pending.
  public func fetchCount<T>(_ descriptor: FetchDescriptor<T>) throws -> Int
  where T: PersistentModel {
    state.autosave.catchUp(state)
    return try state.fetchCount(descriptor)
  }

  /// The identifiers of what a fetch would give, in its order.
  public func fetchIdentifiers<T>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel {
    state.autosave.catchUp(state)
    return try state.fetchIdentifiers(descriptor)
  }

  /// Fetches lazily, a batch at a time as elements are touched.
  ///
  /// - Throws: `SwiftDataError.includePendingChangesWithBatchSize` when changes are pending and the
  ///   descriptor includes them.
  public func fetch<T>(
    _ descriptor: FetchDescriptor<T>,
    batchSize: Int
  ) throws -> FetchResultsCollection<T> where T: PersistentModel {
    try state.fetch(descriptor, batchSize: batchSize)
  }

  /// Fetches identifiers into a collection of batches.
  ///
  /// - Throws: `SwiftDataError.includePendingChangesWithBatchSize` when changes are pending and the
  ///   descriptor includes them.
  public func fetchIdentifiers<T>(
    _ descriptor: FetchDescriptor<T>,
    batchSize: Int
  ) throws -> FetchResultsCollection<PersistentIdentifier> where T: PersistentModel {
    try state.fetchIdentifiers(descriptor, batchSize: batchSize)
  }

  /// Calls a closure for each object of a fetch, in batches that are let go of in between.
  ///
  /// - Parameters:
  ///   - fetch: What to go through.
  ///   - batchSize: How many objects to load at a time.
  ///   - allowEscapingMutations: Whether the closure may leave unsaved changes behind.
  ///   - block: What to do with each object.
  /// - Throws: `SwiftDataError.modelValidationFailure` when a batch leaves unsaved changes without
  ///   `allowEscapingMutations`, and what the closure and the store throw.
  /// - Complexity: O(*n*) rows read. The objects of one batch are in memory at a time, and a few bytes
  ///   for each identifier, none for those of a SQLite store that follow each other.
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

  /// The object of an identifier where the context knows it already.
  public func registeredModel<T>(for persistentModelID: PersistentIdentifier) -> T?
  where T: PersistentModel {
    state.registeredModel(for: persistentModelID)
  }

  /// The object of an identifier: the known one, else the stored one, else a stand-in.
  ///
  /// A stand-in carries the identifier and placeholder values, belongs to no context, and says so
  /// by `isDeleted`.
  ///
  /// - Precondition: The container's schema has the identifier's entity, or any model at all.
  public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
    state.model(for: persistentModelID)
  }

  /// Deletes the objects of a model that satisfy a predicate.
  ///
  /// Like other deletions it takes effect at the next save, and the delete rules of relationships
  /// are carried out.
  ///
  /// - Parameters:
  ///   - model: The model type.
  ///   - predicate: What must hold for an object to be deleted, nil for all.
  ///   - includeSubclasses: Whether objects of models that inherit from it are deleted too.
  /// - Throws: What ``fetch(_:)`` throws.
  /// - Complexity: O(*n*) objects in memory until they are saved; none where the store makes such
  ///   changes itself, as one statement of a SQLite store (``RecordStore/supports(_:)``), and the
  ///   context has neither unsaved changes nor objects that the deletion could concern.
  public func delete<T>(
    model: T.Type,
    where predicate: Predicate<T>? = nil,
    includeSubclasses: Bool = true
  ) throws where T: PersistentModel {
    try state.delete(model: model, where: predicate, includeSubclasses: includeSubclasses)
  }
}
