/// A change of all rows that match a query, which a store makes itself without loading the rows
/// into memory.
///
/// Other saves may change the contents of a store after ``RecordStore/plan(_:explained:)``. If
/// it no longer supports the change, it throws ``DataStoreError/unsupportedFeature`` or
/// ``DataStoreError/invalidValue``.
public enum BulkChange: Sendable {
  /// Deletes the rows, and applies the delete rules of their relationships.
  ///
  /// As with any deletion, references to deleted rows become null. The store throws
  /// ``DataStoreError/deletionDenied`` for a row whose relationship denies it. It throws
  /// `SwiftDataError.modelValidationFailure` for a row that would lose the object of a required
  /// relationship. It does so after the last bulk change of the batch, and only if the batch does not
  /// delete the row that prevents the deletion. Rows by identifier that do not exist have no effect.
  case delete(StoreQuery)
  /// Assigns new values to attributes of the rows, all computed from the rows before the change.
  ///
  /// The store throws ``DataStoreError/invalidValue`` for a value that cannot be computed. If the query
  /// selects rows by identifier (``StoreQuery/identifiers``), it throws ``DataStoreError/conflict``
  /// unless all of them exist.
  case update(StoreQuery, [StoreAssignment])

  /// The query that selects the rows; it has no order and no window.
  package var query: StoreQuery {
    switch self {
    case .delete(let query), .update(let query, _): query
    }
  }
}

/// A new value for one attribute of rows.
public struct StoreAssignment: Hashable, Sendable {
  /// The name of the attribute.
  public let property: String
  /// The value, over the row as element 0.
  public let value: QueryExpression

  /// Creates an assignment.
  package init(_ property: String, _ value: QueryExpression) {
    self.property = property
    self.value = value
  }
}
