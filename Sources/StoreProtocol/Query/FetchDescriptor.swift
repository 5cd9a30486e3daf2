import Foundation

/// What to fetch: a predicate, an order, a window, and what to load along.
public struct FetchDescriptor<T>: @unchecked Sendable where T: PersistentModel {
  // Unchecked: predicates and sort descriptors are Sendable, key paths are values that capture
  // nothing but are not marked so.

  /// What must hold for an object, nil for all.
  public var predicate: Predicate<T>?
  /// The order, most important first; ties are broken by identity.
  public var sortBy: [SortDescriptor<T>]
  /// How many objects to give at the most, nil for all.
  public var fetchLimit: Int?
  /// How many objects of the ordered answer to skip.
  public var fetchOffset: Int? = 0
  /// Whether unsaved changes take part, as if they had been saved.
  public var includePendingChanges = true
  /// Whether the store must answer alone: a fetch of which some part would be computed over objects
  /// or rows above the store throws ``DataStoreError/unsupportedFeature`` and says which.
  public var requiresNative = false
  /// The properties that are wanted, empty for all.
  ///
  /// A store may leave the other attributes out; they are loaded when they are first read or set, for
  /// up to 1,000 objects of the fetch at once. Relationships are loaded when touched in any case.
  public var propertiesToFetch: [PartialKeyPath<T>] = []
  /// The relationships whose objects are loaded along.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

  /// Creates a descriptor.
  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}
