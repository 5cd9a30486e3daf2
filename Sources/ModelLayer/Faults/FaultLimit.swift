/// The number of queries that a context may use to load data on access, and the response beyond it.
///
/// A relationship that was not loaded, or a value that a fetch left out, costs a query when it is
/// accessed. One query serves up to 1,000 objects of a fetch. If a program fetches the objects one
/// by one, each costs a query. A limit makes this visible in tests and in debug builds:
///
/// ```swift
/// try context.withFaultLimit(3) { try printReport(trips) }
/// context.faultLimit = FaultLimit(100, .log)
/// ```
public struct FaultLimit: Sendable, ExpressibleByIntegerLiteral {
  /// The response when a context exceeds the limit.
  public enum Response: Sendable {
    /// The end of the scope, or the context's next fetch or save, throws ``FaultLimitExceeded``.
    ///
    /// Reading a property cannot throw.
    case `throw`
    /// Each property that exceeds the limit is written to standard error once.
    case log
    /// A closure is called once for each property that exceeds the limit, during the access.
    ///
    /// A breakpoint in it shows the line that caused the query.
    case report(@Sendable (FaultLimitExceeded) -> Void)
  }

  /// The number of allowed queries.
  public var queries: Int
  /// The response beyond the limit.
  public var response: Response

  /// Creates a limit.
  public init(_ queries: Int, _ response: Response = .throw) {
    self.queries = queries
    self.response = response
  }

  /// Creates a limit that throws.
  public init(integerLiteral queries: Int) {
    self.init(queries)
  }
}
