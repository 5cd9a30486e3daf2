import Foundation

/// The parameters of a fetch: a predicate, an order, a window, and what to load in advance.
// Unchecked: predicates and sort descriptors are Sendable; key paths are values that capture
// nothing but are not marked Sendable.
public struct FetchDescriptor<T>: @unchecked Sendable where T: PersistentModel {
  /// The predicate.
  ///
  /// `nil` matches all objects.
  public var predicate: Predicate<T>?
  /// The order, most important first; ties are broken by identifier.
  public var sortBy: [SortDescriptor<T>]
  /// The maximum number of objects to return, or `nil` for no limit.
  public var fetchLimit: Int?
  /// The number of objects of the ordered result to skip.
  public var fetchOffset: Int? = 0
  /// Whether unsaved changes are included, as if they had been saved.
  public var includePendingChanges = true
  /// Whether the store must evaluate the whole fetch itself.
  ///
  /// If part of it would be computed over objects or rows above the store, the fetch throws
  /// ``DataStoreError/unsupportedFeature`` and names that part.
  public var requiresNative = false
  /// The properties to fetch.
  ///
  /// If empty, all properties are fetched.
  ///
  /// A store may leave the other attributes out. They are loaded when they are first read or set,
  /// for up to 1,000 objects of the fetch at once. Relationships are always loaded on access.
  public var propertiesToFetch: [PartialKeyPath<T>] = []
  /// The relationships whose objects are prefetched.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

  /// Creates a descriptor.
  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}

/// The part of the model runtime that translates fetches.
package protocol QueryRuntime: _ModelRuntime {
  /// Translates a fetch into a query for the store with an identifier.
  ///
  /// - Throws: `SwiftDataError` with the part that stores do not support.
  static func query<T: PersistentModel>(
    of descriptor: FetchDescriptor<T>,
    schema: Schema,
    store: String
  ) throws -> StoreQuery
}

extension FetchDescriptor {
  /// Returns the fetch as a query for the store with an identifier.
  ///
  /// - Throws: `SwiftDataError` with the part that stores do not support.
  func query(in schema: Schema, store: String) throws -> StoreQuery {
    guard let runtime = T._$runtime as? any QueryRuntime.Type else {
      throw SwiftDataError.unsupportedPredicate.with("the runtime of \(T.self) translates no fetch")
    }
    return try runtime.query(of: self, schema: schema, store: store)
  }
}
