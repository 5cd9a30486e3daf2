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
  package var store: String
  /// The part of the filter that the store evaluates itself, by an index or in its own language.
  package var nativeFilter: QueryExpression?
  /// The part of the filter that is evaluated row by row over the remaining rows.
  package var remainingFilter: QueryExpression?
  /// Whether the store sorts the rows itself.
  package var sortsNatively: Bool
  /// The executed statements, without their values.
  public var statements: [String]
  /// The steps of the store, in its own words.
  public var steps: [String]
  /// The used indexes, as names or as lists of properties.
  public var indexes: [String]
  /// The number of rows that the store examines.
  public var rowsExamined: Cost
  /// The properties of an index that would save the store a scan or a sort, or an empty list if there
  /// is none.
  public var missingIndex: [String]
  /// The entity of the missing index, or `nil` if it is the query's own.
  public var missingIndexEntity: String?

  /// Whether nothing is left to the evaluator.
  package var isNative: Bool { remainingFilter == nil && sortsNatively }

  /// Creates an explanation.
  public init(
    store: String,
    nativeFilter: QueryExpression? = nil,
    remainingFilter: QueryExpression? = nil,
    sortsNatively: Bool = true,
    statements: [String] = [],
    steps: [String] = [],
    indexes: [String] = [],
    rowsExamined: Cost = .unknown,
    missingIndex: [String] = []
  ) {
    self.store = store
    self.nativeFilter = nativeFilter
    self.remainingFilter = remainingFilter
    self.sortsNatively = sortsNatively
    self.statements = statements
    self.steps = steps
    self.indexes = indexes
    self.rowsExamined = rowsExamined
    self.missingIndex = missingIndex
  }
}
