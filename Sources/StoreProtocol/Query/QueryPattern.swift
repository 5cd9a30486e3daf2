/// A regular expression in a query.
///
/// Two patterns are equal if they are the same object, because regular expressions have no other
/// equality.
// Unchecked: the closure captures a regular expression, which is immutable but not marked
// Sendable.
public final class QueryPattern: Hashable, @unchecked Sendable {
  /// The source of the regular expression if it has one, for messages only.
  package let source: String
  private let match: (String) -> Bool

  /// Creates a pattern from a test that a string must pass.
  package init(source: String, match: @escaping (String) -> Bool) {
    self.source = source
    self.match = match
  }

  /// Returns whether some part of a string matches.
  package func isFound(in text: String) -> Bool { match(text) }

  public static func == (lhs: QueryPattern, rhs: QueryPattern) -> Bool { lhs === rhs }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
