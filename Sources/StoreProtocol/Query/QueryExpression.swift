/// A value computed from a row: the form to which predicates and sort descriptors are lowered.
///
/// An expression has the meaning of the Swift expression from which it was lowered.
/// `QueryEvaluator` defines that meaning; a store that computes an expression itself must return
/// the same result. An object evaluates to its identifier. A to-one relationship evaluates to its
/// identifier or nil, a to-many relationship to the list of identifiers.
public indirect enum QueryExpression: Hashable, Sendable {
  /// A value that is constant for the query.
  case constant(StoreValue)
  /// A bound variable: 0 is the fetched object, others are bound by the cases that have a number.
  case element(Int)
  /// A property of an object, or a member of a composite value.
  case property(QueryExpression, String)
  /// The comparison of two values.
  case compare(Comparison, QueryExpression, QueryExpression)
  /// Whether all conditions hold; evaluation ends at the first that does not.
  case and([QueryExpression])
  /// Whether any condition holds; evaluation ends at the first that does.
  case or([QueryExpression])
  /// Whether the condition does not hold.
  case not(QueryExpression)
  /// The result of a calculation with two numbers of a type; an overflow has no value.
  case arithmetic(Arithmetic, QueryExpression, QueryExpression, AttributeType)
  /// The negation of a number.
  case negate(QueryExpression, AttributeType)
  /// One of two values, selected by a condition.
  case conditional(QueryExpression, then: QueryExpression, else: QueryExpression)
  /// The first value unless it is nil, else the second.
  case coalesce(QueryExpression, QueryExpression)
  /// Nil if the value is nil, otherwise the body with the value bound to a variable.
  case map(QueryExpression, variable: Int, body: QueryExpression)
  /// The value of an optional; if it is nil, the whole row does not match.
  case unwrap(QueryExpression)
  /// Whether a collection contains a value.
  case contains(QueryExpression, QueryExpression)
  /// Whether a value is in a range, with or without its upper end.
  case isInRange(QueryExpression, lower: QueryExpression, upper: QueryExpression, closed: Bool)
  /// Whether some, or each, element of a collection satisfies a condition on a variable.
  case quantified(Quantifier, QueryExpression, variable: Int, QueryExpression)
  /// The elements of a collection that satisfy a condition on a variable.
  case filter(QueryExpression, variable: Int, QueryExpression)
  /// An aggregate of a collection or a string.
  case aggregate(Aggregate, QueryExpression)
  /// The value of a function of one other value.
  case function(QueryFunction, QueryExpression)
  /// An element of a collection by index, or of a dictionary by key.
  case subscripted(QueryExpression, QueryExpression)
  /// A test or comparison of two strings or two sequences.
  case text(TextTest, QueryExpression, QueryExpression)
  /// Whether some part of a string matches a regular expression; stores need not evaluate it
  /// themselves.
  case matches(QueryExpression, QueryPattern)
  /// Whether a string contains the words of a search.
  case searches(QueryExpression, TextSearch)
  /// Whether an object belongs to an entity or to one that inherits from it.
  case isKind(QueryExpression, entity: String)
  /// The object if it belongs to an entity, otherwise nil.
  case cast(QueryExpression, entity: String)

  /// The comparison operators; strings compare by canonical equivalence, as in Swift.
  public enum Comparison: String, Codable, Hashable, Sendable {
    /// The comparison of that name.
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
  }

  /// The arithmetic operators.
  public enum Arithmetic: String, Codable, Hashable, Sendable {
    /// The operation of that name; `divide` and `remainder` truncate integers.
    case add, subtract, multiply, divide, remainder
  }

  /// The number of elements that must satisfy a condition.
  public enum Quantifier: String, Codable, Hashable, Sendable {
    /// At least one.
    case some
    /// Each, which an empty collection satisfies.
    case every
  }

  /// The aggregates of a collection.
  public enum Aggregate: String, Codable, Hashable, Sendable {
    /// The number of elements; of characters for a string.
    case count
    /// Whether there is no element.
    case isEmpty
    /// The first element, or nil.
    case first
    /// The last element, or nil.
    case last
    /// The smallest element, or nil.
    case minimum
    /// The largest element, or nil.
    case maximum
  }

  /// The tests and comparisons of strings and sequences.
  public enum TextTest: String, Codable, Hashable, Sendable {
    /// Whether the first contains the second.
    case contains
    /// Whether the first starts with the second.
    case startsWith
    /// Whether the first contains the second, ignoring case and diacritics.
    case localizedStandardContains
    /// The order of both, ignoring case: -1, 0 or 1.
    case caseInsensitiveCompare
    /// The order of both in the current locale: -1, 0 or 1.
    case localizedCompare
  }
}
