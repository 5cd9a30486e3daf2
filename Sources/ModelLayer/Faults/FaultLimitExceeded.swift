import Foundation

/// An error for more queries to load data on access than a limit allows.
public struct FaultLimitExceeded: Error, Hashable, Sendable {
  /// The number of allowed queries.
  public let limit: Int
  /// The number of queries so far.
  public let queries: Int
  /// The properties that caused them, in the order of the first accesses.
  ///
  /// It has only the latest if the limit only logs or reports.
  public let touches: [FaultTouch]
  /// The file and line of the scope of the limit, or `nil` for the limit of a context.
  public let scope: String?
}

extension FaultLimitExceeded: CustomStringConvertible, LocalizedError {
  /// The numbers and the properties, with advice.
  public var description: String {
    let lines = touches.map { "\n  \($0)" }.joined()
    return
      (scope.map { "\($0): " } ?? "")
      + "touching what was not loaded cost \(queries) \(queries == 1 ? "query" : "queries"), and "
      + "\(limit) \(limit == 1 ? "is" : "are") allowed; have it loaded along "
      + "(relationshipKeyPathsForPrefetching, propertiesToFetch), or go through objects of one "
      + "fetch:\(lines)"
  }

  /// The description, for interfaces that show Foundation's errors.
  public var errorDescription: String? { description }
}

/// A property that was accessed before it was loaded.
public struct FaultTouch: Hashable, Sendable {
  /// The entity of the objects.
  public let entity: String
  /// The property.
  public let property: String
  /// The number of queries that its accesses caused.
  public internal(set) var queries: Int
  /// The calls that led to the first access, innermost first, as the system reports them.
  ///
  /// On Linux that is the program with an offset, which `addr2line -f -e PROGRAM OFFSET` turns into
  /// a function and a line. Names and lines are not looked up here: that reads the mapped files,
  /// which another thread may be unmapping.
  public let callStack: [String]
}

extension FaultTouch: CustomStringConvertible {
  /// The property and its queries.
  public var description: String {
    "\(entity).\(property): \(queries) \(queries == 1 ? "query" : "queries")"
  }
}
