/// The plan of a query in a store, for people, tests and ``FetchDescriptor/requiresNative``.
public struct StoreExplanation: Hashable, Sendable {
  /// The number of rows that the store has to examine.
  public enum Cost: Hashable, Sendable {
    /// A known number, such as the size of an index entry.
    case rows(Int)
    /// An estimate by the store.
    case about(Int)
    /// Unknown before the query runs.
    case unknown
  }

  /// The kind and the location of the store.
  public var store: String
  /// The part of the filter that the store evaluates itself, by an index or in its own language.
  public var nativeFilter: QueryExpression?
  /// The part of the filter that is evaluated row by row over the remaining rows.
  public var remainingFilter: QueryExpression?
  /// Whether the store sorts the rows itself.
  public var sortsNatively: Bool
  /// The executed statements, without their values.
  public var statements: [String]
  /// The steps of the store, in its own words.
  public var steps: [String]
  /// The used indexes, as names or as lists of properties.
  public var indexes: [String]
  /// The number of rows that the store examines.
  public var rowsExamined: Cost

  /// Whether nothing is left to the evaluator.
  public var isNative: Bool { remainingFilter == nil && sortsNatively }

  /// Creates an explanation.
  public init(
    store: String,
    nativeFilter: QueryExpression? = nil,
    remainingFilter: QueryExpression? = nil,
    sortsNatively: Bool = true,
    statements: [String] = [],
    steps: [String] = [],
    indexes: [String] = [],
    rowsExamined: Cost = .unknown
  ) {
    self.store = store
    self.nativeFilter = nativeFilter
    self.remainingFilter = remainingFilter
    self.sortsNatively = sortsNatively
    self.statements = statements
    self.steps = steps
    self.indexes = indexes
    self.rowsExamined = rowsExamined
  }
}

/// The part of a query or of a bulk change that a store evaluates itself.
///
/// The layer above completes the rest of a query, and makes an incomplete bulk change itself.
public struct StoreQueryPart: Hashable, Sendable {
  /// The filter that the store evaluates, or `nil` for none: it then returns all rows of the
  /// entity.
  ///
  /// Every row of the result must satisfy it, so a store may evaluate `a` of `a && b`.
  public var filter: QueryExpression?
  /// The filter that remains to be evaluated, or `nil` if ``filter`` is complete.
  public var remaining: QueryExpression?
  /// Whether the store sorts the rows and, if no filter remains, applies the window.
  public var sorts: Bool
  /// The number of rows of a bulk change, if the store counted them to determine the part.
  public var rowCount: Int?

  /// Creates a part.
  public init(filter: QueryExpression?, remaining: QueryExpression?, sorts: Bool) {
    self.filter = filter
    self.remaining = remaining
    self.sorts = sorts
  }

  /// Creates a part that contains all of a query.
  public init(allOf query: StoreQuery, rowCount: Int? = nil) {
    self.init(filter: query.filter, remaining: nil, sorts: true)
    self.rowCount = rowCount
  }

  /// Creates a part that contains nothing of a query.
  public init(noneOf query: StoreQuery) {
    self.init(filter: nil, remaining: query.filter, sorts: false)
  }

  /// Whether nothing remains for the layer above, including the order.
  public var isComplete: Bool { remaining == nil && sorts }
}
