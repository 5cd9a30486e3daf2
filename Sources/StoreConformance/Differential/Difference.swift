/// What was found where two answers should have been the same.
public struct Difference: Error, Hashable, Sendable {
  /// What was compared.
  public enum Aspect: String, Hashable, Sendable, CaseIterable {
    /// The rows that a query gives, in order.
    case rows
    /// The values of these rows.
    case values
    /// The number of rows.
    case count
    /// The identifiers.
    case identifiers
    /// What is read without making records.
    case read
    /// The window, against a slice of the whole answer.
    case window
    /// A condition and its opposite, against all rows.
    case partition
    /// The parts of a condition, whose answers join as sets do.
    case parts
    /// What a store says that it answers itself.
    case part
    /// The values of a selection.
    case selection
    /// An error in one of them.
    case error
  }

  /// What was compared.
  public let aspect: Aspect
  /// What ought to come out.
  public let expected: String
  /// What came out.
  public let found: String

  init(_ aspect: Aspect, expected: String, found: String) {
    self.aspect = aspect
    self.expected = expected
    self.found = found
  }
}

extension Difference: CustomStringConvertible {
  /// What was expected, and what was found.
  public var description: String { "\(aspect): expected \(expected), found \(found)" }
}
