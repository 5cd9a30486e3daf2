import Foundation
import StoreProtocol

extension ModelContext {
  /// Fetches objects.
  ///
  /// The order is that of the descriptor, ties broken by identity. Unsaved changes take part as if
  /// they had been saved, unless the descriptor says otherwise.
  ///
  /// - Throws: `SwiftDataError.unsupportedSortDescriptor` for an order that nobody can compute, and
  ///   what the store throws.
  /// - Complexity: O(*n*) rows read and objects made, where *n* is the size of the answer.
  public func fetch<T>(_ descriptor: FetchDescriptor<T>) throws -> [T] where T: PersistentModel {
    let plan = try FetchPlan(descriptor, in: self)
    let models: [T] = try plan.models()
    plan.registration.identityMap.lastFetched = models
    plan.registration.identityMap.faultCursor = 0
    try prefetch(descriptor, for: models, in: plan.registration)
    return models
  }

  /// Counts what a fetch would give, without making objects where nothing is pending.
  public func fetchCount<T>(_ descriptor: FetchDescriptor<T>) throws -> Int
  where T: PersistentModel {
    try FetchPlan(descriptor, in: self).count()
  }

  /// The identifiers of what a fetch would give, in its order.
  public func fetchIdentifiers<T>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel {
    try FetchPlan(descriptor, in: self).identifiers()
  }

  /// Fetches lazily, a batch at a time as elements are touched.
  ///
  /// - Throws: `SwiftDataError.includePendingChangesWithBatchSize` when changes are pending and the
  ///   descriptor includes them.
  public func fetch<T>(
    _ descriptor: FetchDescriptor<T>,
    batchSize: Int
  ) throws -> FetchResultsCollection<T> where T: PersistentModel {
    try refusePendingChanges(descriptor)
    return FetchResultsCollection(
      identifiers: try fetchIdentifiers(descriptor),
      batchSize: batchSize
    ) { identifiers in
      try self.objects(of: T.self, for: identifiers)
    }
  }

  /// Fetches identifiers into a collection of batches.
  ///
  /// - Throws: `SwiftDataError.includePendingChangesWithBatchSize` when changes are pending and the
  ///   descriptor includes them.
  public func fetchIdentifiers<T>(
    _ descriptor: FetchDescriptor<T>,
    batchSize: Int
  ) throws -> FetchResultsCollection<PersistentIdentifier> where T: PersistentModel {
    try refusePendingChanges(descriptor)
    return FetchResultsCollection(
      identifiers: try fetchIdentifiers(descriptor),
      batchSize: batchSize
    ) { $0 }
  }

  private func refusePendingChanges<T>(_ descriptor: FetchDescriptor<T>) throws {
    if descriptor.includePendingChanges, hasChanges {
      throw SwiftDataError.includePendingChangesWithBatchSize
    }
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
  public func enumerate<T>(
    _ fetch: FetchDescriptor<T>,
    batchSize: Int = 5000,
    allowEscapingMutations: Bool = false,
    block: (_ model: T) throws -> Void
  ) throws where T: PersistentModel {
    let identifiers = try fetchIdentifiers(fetch)
    let size = max(1, batchSize)
    for start in stride(from: 0, to: identifiers.count, by: size) {
      let batch = Array(identifiers[start..<min(start + size, identifiers.count)])
      let wasChanged = hasChanges
      for model in try objects(of: T.self, for: batch) { try block(model) }
      if !allowEscapingMutations, hasChanges, !wasChanged {
        throw SwiftDataError.modelValidationFailure.with(
          "the closure of enumerate left unsaved changes, which keep each batch in memory; save in "
            + "it, or pass allowEscapingMutations: true",
          entity: Schema.entityName(for: T.self)
        )
      }
      evictUnused()
    }
  }

  /// The objects of identifiers, in their order; those that are gone are left out.
  func objects<T: PersistentModel>(
    of type: T.Type,
    for identifiers: [PersistentIdentifier]
  ) throws -> [T] {
    guard let registration = registration(for: type) else { return [] }
    let missing = identifiers.filter {
      !$0.isTemporary && registration.identityMap.model(for: $0.key) == nil
    }
    let fetched = try fetchRows(Set(missing.map(\.key)), of: registration)
    let models = identifiers.compactMap { registeredModel(for: $0) as T? }
    registration.identityMap.lastFetched = models
    registration.identityMap.faultCursor = 0
    return withExtendedLifetime(fetched) { models }
  }

  /// The object of an identifier where the context knows it already.
  public func registeredModel<T>(for persistentModelID: PersistentIdentifier) -> T?
  where T: PersistentModel {
    known(persistentModelID) as? T
  }

  /// The object of an identifier: the known one, else the stored one, else a stand-in.
  ///
  /// A stand-in carries the identifier and placeholder values, belongs to no context, and says so
  /// by `isDeleted`.
  ///
  /// - Precondition: The container's schema has the identifier's entity, or any model at all.
  public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
    if let model = known(persistentModelID) { return model }
    let place = registration(named: persistentModelID.entityName)
    if let place, !persistentModelID.isTemporary {
      do {
        if let model = try fetchRows([persistentModelID.key], of: place).first { return model }
      } catch {
        problems.append(.modelValidationFailure.with("\(persistentModelID) could not be read"))
      }
    }
    guard let type = place?.layout.type ?? core.schema.modelTypes.values.first,
      let standIn = Vanished.object(of: type, identifier: persistentModelID)
    else {
      preconditionFailure("The container's schema has no model to stand in for an identifier.")
    }
    return standIn
  }

  private func known(_ identifier: PersistentIdentifier) -> (any PersistentModel)? {
    guard let place = registration(named: identifier.entityName) else { return nil }
    if case .temporary(let number) = identifier.key {
      return pending.inserted.first { $0._$state.key == number && $0.registration === place }
    }
    guard identifier.storeIdentifier == place.backend.identifier else { return nil }
    return place.identityMap.model(for: identifier.key)
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
  public func delete<T>(
    model: T.Type,
    where predicate: Predicate<T>? = nil,
    includeSubclasses: Bool = true
  ) throws where T: PersistentModel {
    for object in try fetch(FetchDescriptor<T>(predicate: predicate)) {
      if includeSubclasses || type(of: object) == model { markDeleted(object) }
    }
  }
}
