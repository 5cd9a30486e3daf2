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

  /// The filter that the store evaluates, or `nil` for none: it then returns all rows of the
  /// entity.
  ///
  /// Every row of the result must satisfy it, so a store may evaluate `a` of `a && b`.
  public var filter: QueryExpression?
  /// The filter that remains to be evaluated, or `nil` if ``filter`` is complete.
  public var remaining: QueryExpression?
  /// Whether the store sorts the rows and, if no filter remains, applies the window.
  public var sorts: Bool
  /// The number of rows of a bulk change, if the store counted them to determine the plan.
  public var rowCount: Int?
  /// The execution in the store's own words, if it was requested and differs from the plan.
  public var explanation: StoreExplanation?

  /// Creates a plan.
  public init(filter: QueryExpression?, remaining: QueryExpression?, sorts: Bool) {
    self.filter = filter
    self.remaining = remaining
    self.sorts = sorts
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
  public var isComplete: Bool { remaining == nil && sorts }
}
