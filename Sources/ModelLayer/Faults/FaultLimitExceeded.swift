import Foundation

/// More queries were spent on what was not loaded than a limit allows.
public struct FaultLimitExceeded: Error, Hashable, Sendable {
  /// How many queries are allowed.
  public let limit: Int
  /// How many were spent so far.
  public let queries: Int
  /// What cost them, in the order of the first touches; the latest alone where a limit only logs or
  /// reports.
  public let touches: [FaultTouch]
  /// The file and line of the scope whose limit it is, nil for the limit of a context.
  public let scope: String?
}

extension FaultLimitExceeded: CustomStringConvertible, LocalizedError {
  /// The numbers and the properties, with what to do.
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

/// A property that was touched before it was loaded.
public struct FaultTouch: Hashable, Sendable {
  /// The entity of the objects.
  public let entity: String
  /// The property.
  public let property: String
  /// How many queries its touches cost.
  public let queries: Int
  /// The calls that led to the first of them, innermost first, as the system tells them.
  ///
  /// On Linux that is the program with an offset, which `addr2line -f -e PROGRAM OFFSET` turns into a
  /// function and a line. Names and lines are not looked up here, since that reads the files that
  /// are mapped, which another thread may be taking away.
  public let callStack: [String]
}

extension FaultTouch: CustomStringConvertible {
  /// The property and its queries.
  public var description: String {
    "\(entity).\(property): \(queries) \(queries == 1 ? "query" : "queries")"
  }
}
