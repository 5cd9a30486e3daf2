/// How a store answers a query, for people, tests and ``FetchDescriptor/requiresNative``.
public struct StoreExplanation: Hashable, Sendable {
  /// How much of the store has to be looked at.
  public enum Cost: Hashable, Sendable {
    /// A number that is known, such as the size of an index entry.
    case rows(Int)
    /// A number that the store guesses.
    case about(Int)
    /// Nobody knows before it was tried.
    case unknown
  }

  /// The kind of store, and where it is.
  public var store: String
  /// The part of the filter that the store judges itself, by an index or in its own language.
  public var nativeFilter: QueryExpression?
  /// The part of the filter that is evaluated row by row over what is left.
  public var remainingFilter: QueryExpression?
  /// Whether the store gives the order itself.
  public var sortsNatively: Bool
  /// The statements that the store runs, without their values.
  public var statements: [String]
  /// The steps that the store takes, in its own words.
  public var steps: [String]
  /// The indexes that are used, as names or as the properties that they are made of.
  public var indexes: [String]
  /// How many rows the store looks at.
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

/// Which part of a query a store answers itself; the layer above completes the rest.
public struct StoreQueryPart: Hashable, Sendable {
  /// What the store judges, nil for nothing: it then gives all rows of the entity.
  ///
  /// Every row of the answer must satisfy it, so that of `a && b` a store may take `a`.
  public var filter: QueryExpression?
  /// What is left to judge, nil where ``filter`` is all.
  public var remaining: QueryExpression?
  /// Whether the store gives the order and, where nothing remains, the window.
  public var sorts: Bool

  /// Creates a part.
  public init(filter: QueryExpression?, remaining: QueryExpression?, sorts: Bool) {
    self.filter = filter
    self.remaining = remaining
    self.sorts = sorts
  }

  /// All of a query.
  public init(allOf query: StoreQuery) {
    self.init(filter: query.filter, remaining: nil, sorts: true)
  }
}
