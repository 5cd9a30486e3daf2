/// A difference between two results that should be equal.
public struct Difference: Error, Hashable, Sendable {
  /// The aspect of a result that was compared.
  public enum Aspect: String, Hashable, Sendable, CaseIterable {
    /// The rows of a query, in order.
    case rows
    /// The values of these rows.
    case values
    /// The number of rows.
    case count
    /// The identifiers.
    case identifiers
    /// The values that are read without creating records.
    case read
    /// The rows within limit and offset, compared with a slice of all rows.
    case window
    /// A condition and its negation, compared with all rows.
    case partition
    /// The parts of a condition, whose results combine like sets.
    case parts
    /// The part of a query that a store claims to evaluate.
    case part
    /// The values of a selection.
    case selection
    /// An error in one of the results.
    case error
  }

  /// The compared aspect.
  public let aspect: Aspect
  /// The expected result.
  public let expected: String
  /// The actual result.
  public let found: String

  init(_ aspect: Aspect, expected: String, found: String) {
    self.aspect = aspect
    self.expected = expected
    self.found = found
  }
}

extension Difference: CustomStringConvertible {
  /// The expected and the actual result.
  public var description: String { "\(aspect): expected \(expected), found \(found)" }
}
