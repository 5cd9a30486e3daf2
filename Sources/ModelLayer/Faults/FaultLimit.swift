/// How many queries a context may spend on what was not loaded, and what happens beyond.
///
/// A relationship that was not loaded, or a value that a fetch left out, costs a query when it is
/// touched: one for up to 1,000 objects of a fetch, but one for each object where a program goes
/// through objects that it fetched one by one. A limit makes that visible in tests and in debug
/// builds:
///
/// ```swift
/// try context.withFaultLimit(3) { try printReport(trips) }
/// context.faultLimit = FaultLimit(100, .log)
/// ```
public struct FaultLimit: Sendable, ExpressibleByIntegerLiteral {
  /// What happens when a context spends more.
  public enum Response: Sendable {
    /// The end of the scope, or the context's next fetch or save, throws ``FaultLimitExceeded``:
    /// reading a property cannot.
    case `throw`
    /// Each property that spends more is written to the standard error stream once.
    case log
    /// A closure is called once for each property that spends more, from within the touch: a
    /// breakpoint in it shows the line that caused it.
    case report(@Sendable (FaultLimitExceeded) -> Void)
  }

  /// How many queries are allowed.
  public var queries: Int
  /// What happens beyond.
  public var response: Response

  /// Creates a limit.
  public init(_ queries: Int, _ response: Response = .throw) {
    self.queries = queries
    self.response = response
  }

  /// Creates a limit beyond which something is thrown.
  public init(integerLiteral queries: Int) {
    self.init(queries)
  }
}
