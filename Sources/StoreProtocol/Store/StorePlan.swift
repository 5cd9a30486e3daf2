/// The part of a request that a store executes itself; see ``RecordStore/plan(_:explained:)``.
///
/// The layer above completes the rest of a query, and makes an incomplete bulk change itself. A store
/// is asked before, so that no request fails halfway because it asks for too much, and a program can
/// require that a store does all of it.
public struct StorePlan: Hashable, Sendable {
  /// A request to plan.
  public enum Request: Sendable {
    /// The rows of a query, their identifiers, or their number.
    case query(StoreQuery)
    /// The values of a selection; its plan is that of its rows.
    case selection(StoreSelection)
    /// A change of all rows that match a query.
    case change(BulkChange)

    /// The query for the rows of the request.
    public var query: StoreQuery {
      switch self {
      case .query(let query): query
      case .selection(let selection): selection.rowQuery
      case .change(let change): change.query
      }
    }
  }

  /// The filter that the store evaluates.
  package var filter: QueryExpression?
  /// The filter that remains to be evaluated.
  package var remaining: QueryExpression?
  /// Whether the store sorts the rows.
  package var sorts: Bool
  /// The number of rows of a bulk change, if the store counted them to determine the plan.
  package var rowCount: Int?
  /// The execution in the store's own words, if it was requested and differs from the plan.
  package var explanation: StoreExplanation?

  /// Creates a plan in which the store executes a part of a request.
  ///
  /// - Parameters:
  ///   - filter: The filter that the store evaluates, or `nil` for none. Every row of the result
  ///     must satisfy it, so a store may evaluate `a` of `a && b`.
  ///   - remaining: The filter that remains to be evaluated, or `nil` if the first is complete.
  ///   - sorts: Whether the store sorts the rows and, if no filter remains, applies the window.
  ///   - explanation: The execution in the store's own words, if it was requested.
  public init(
    filter: QueryExpression?,
    remaining: QueryExpression?,
    sorts: Bool,
    explanation: StoreExplanation? = nil
  ) {
    self.filter = filter
    self.remaining = remaining
    self.sorts = sorts
    self.explanation = explanation
  }

  /// Creates a plan in which the store executes all of a request.
  public init(
    allOf request: Request,
    rowCount: Int? = nil,
    explanation: StoreExplanation? = nil
  ) {
    filter = request.query.filter
    sorts = true
    self.rowCount = rowCount
    self.explanation = explanation
  }

  /// Creates a plan in which the store executes nothing of a request.
  public init(noneOf request: Request) {
    self.init(filter: nil, remaining: request.query.filter, sorts: false)
  }

  /// Whether nothing remains for the layer above, including the order.
  package var isComplete: Bool { remaining == nil && sorts }
}
