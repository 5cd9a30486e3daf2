/// A regular expression in a query.
///
/// Two patterns are equal when they are the same object: expressions have no other equality.
public final class QueryPattern: Hashable, @unchecked Sendable {
  // Unchecked: the closure holds a regular expression, which nothing changes and which Swift
  // does not mark as Sendable.

  /// The source of the expression where it has one, for messages only.
  public let source: String
  private let match: (String) -> Bool

  /// Creates a pattern from a test that a text must pass.
  public init(source: String, match: @escaping (String) -> Bool) {
    self.source = source
    self.match = match
  }

  /// Whether some part of a text matches.
  public func isFound(in text: String) -> Bool { match(text) }

  public static func == (lhs: QueryPattern, rhs: QueryPattern) -> Bool { lhs === rhs }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
