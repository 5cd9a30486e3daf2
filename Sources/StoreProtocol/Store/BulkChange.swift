/// A change of all rows that a query finds, which a store makes by itself: nobody needs to have the
/// rows in memory.
public enum BulkChange: Sendable {
  /// Removes the rows, and carries out the delete rules of their relationships.
  ///
  /// As with any deletion, references to what is removed become null. The store throws
  /// ``DataStoreError/deletionDenied`` for a row whose relationship denies it, and
  /// `SwiftDataError.modelValidationFailure` for one that would be left without the object of a
  /// relationship that is not optional.
  case delete(StoreQuery)
  /// Gives attributes of the rows new values, all computed from the rows as they were.
  ///
  /// The store throws ``DataStoreError/invalidValue`` for a value that cannot be computed.
  case update(StoreQuery, [StoreAssignment])

  /// The query that finds the rows; it has no order and no window.
  public var query: StoreQuery {
    switch self {
    case .delete(let query), .update(let query, _): query
    }
  }
}

/// A new value for one attribute of rows.
public struct StoreAssignment: Hashable, Sendable {
  /// The name of the attribute.
  public let property: String
  /// The value, where the row itself is element 0.
  public let value: QueryExpression

  /// Creates an assignment.
  public init(_ property: String, _ value: QueryExpression) {
    self.property = property
    self.value = value
  }
}
