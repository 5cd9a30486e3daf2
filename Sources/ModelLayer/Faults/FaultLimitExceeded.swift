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
}

extension FaultLimitExceeded: CustomStringConvertible, LocalizedError {
  /// The numbers and the places, with what to do.
  public var description: String {
    let lines = touches.map { "\n  \($0)" }.joined()
    return
      "touching what was not loaded cost \(queries) \(queries == 1 ? "query" : "queries"), and "
      + "\(limit) \(limit == 1 ? "is" : "are") allowed; have it loaded along "
      + "(relationshipKeyPathsForPrefetching, propertiesToFetch), or go through objects of one "
      + "fetch:\(lines)"
  }

  /// The description, for interfaces that show Foundation's errors.
  public var errorDescription: String? { description }
}

/// A property that was touched before it was loaded, and where.
public struct FaultTouch: Hashable, Sendable {
  /// The entity of the objects.
  public let entity: String
  /// The property.
  public let property: String
  /// How many queries it cost at this place.
  public let queries: Int
  private let stack: CallStack?

  init(entity: String, property: String, queries: Int, stack: CallStack?) {
    self.entity = entity
    self.property = property
    self.queries = queries
    self.stack = stack
  }

  private var site: SourceSite? { stack?.site(of: property) }

  /// The path of the source file, nil where the program has no debug information.
  public var file: String? { site?.file }

  /// The line in that file.
  public var line: Int? { site?.line }

  /// The function, nil where the platform does not tell.
  public var function: String? { site?.function }
}

extension FaultTouch: CustomStringConvertible {
  /// The property, its queries, and the place.
  public var description: String {
    var text = "\(entity).\(property): \(queries) \(queries == 1 ? "query" : "queries")"
    if let file { text += " at \(file)" + (line.map { ":\($0)" } ?? "") }
    if let function { text += " in \(function)" }
    return text
  }
}
