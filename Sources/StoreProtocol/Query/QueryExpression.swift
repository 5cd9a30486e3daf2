/// A value computed from a row: what predicates and sort descriptors are lowered to.
///
/// Expressions mean what the Swift expression means that they were lowered from. `QueryEvaluator`
/// defines that meaning; a store that computes an expression itself must give the same answer.
/// An object evaluates to its identifier; a relationship to one object to its identifier or nil,
/// a relationship to many to the list of identifiers.
public indirect enum QueryExpression: Hashable, Sendable {
  /// A value that was known when the query was made.
  case constant(StoreValue)
  /// A bound variable: 0 is the fetched object, others are bound by the cases that have a number.
  case element(Int)
  /// A property of an object, or a member of a composite value.
  case property(QueryExpression, String)
  /// Compares two values.
  case compare(Comparison, QueryExpression, QueryExpression)
  /// Whether all hold; the later ones are not evaluated after one that does not.
  case and([QueryExpression])
  /// Whether any holds; the later ones are not evaluated after one that does.
  case or([QueryExpression])
  /// Whether the expression does not hold.
  case not(QueryExpression)
  /// Computes with two numbers of a type; what overflows has no value.
  case arithmetic(Arithmetic, QueryExpression, QueryExpression, AttributeType)
  /// The negative of a number.
  case negate(QueryExpression, AttributeType)
  /// One of two values, by a condition.
  case conditional(QueryExpression, then: QueryExpression, else: QueryExpression)
  /// The first value unless it is nil, else the second.
  case coalesce(QueryExpression, QueryExpression)
  /// nil where the value is, else the body with the value bound to a variable.
  case map(QueryExpression, variable: Int, body: QueryExpression)
  /// The value of an optional; nil makes the whole row no match.
  case unwrap(QueryExpression)
  /// Whether a collection contains a value.
  case contains(QueryExpression, QueryExpression)
  /// Whether a value lies in a range, the upper end included or not.
  case isInRange(QueryExpression, lower: QueryExpression, upper: QueryExpression, closed: Bool)
  /// Whether some, or each, element of a collection satisfies a condition on a variable.
  case quantified(Quantifier, QueryExpression, variable: Int, QueryExpression)
  /// The elements of a collection that satisfy a condition on a variable.
  case filter(QueryExpression, variable: Int, QueryExpression)
  /// A value taken from a collection or text as a whole.
  case aggregate(Aggregate, QueryExpression)
  /// A value that follows from one other value alone.
  case function(QueryFunction, QueryExpression)
  /// An element of a collection by position, or of a dictionary by key.
  case subscripted(QueryExpression, QueryExpression)
  /// Compares two texts, or two sequences, in one of several ways.
  case text(TextTest, QueryExpression, QueryExpression)
  /// Whether some part of a text matches a regular expression; no store needs to know how.
  case matches(QueryExpression, QueryPattern)
  /// Whether a text has the words that a search asks for.
  case searches(QueryExpression, TextSearch)
  /// Whether an object belongs to an entity or one that inherits from it.
  case isKind(QueryExpression, entity: String)
  /// The object where it belongs to an entity, else nil.
  case cast(QueryExpression, entity: String)

  /// The comparisons; strings compare by canonical equivalence, as in Swift.
  public enum Comparison: String, Codable, Hashable, Sendable {
    /// The comparison that the name says.
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
  }

  /// The arithmetic operators.
  public enum Arithmetic: String, Codable, Hashable, Sendable {
    /// The operation that the name says; `divide` and `remainder` truncate integers.
    case add, subtract, multiply, divide, remainder
  }

  /// How many elements must satisfy a condition.
  public enum Quantifier: String, Codable, Hashable, Sendable {
    /// At least one.
    case some
    /// Each, which an empty collection satisfies.
    case every
  }

  /// What is taken from a collection.
  public enum Aggregate: String, Codable, Hashable, Sendable {
    /// The number of elements; of characters for a text.
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

  /// The comparisons of texts and sequences.
  public enum TextTest: String, Codable, Hashable, Sendable {
    /// Whether the first contains the second.
    case contains
    /// Whether the first starts with the second.
    case startsWith
    /// Whether the first contains the second, case and diacritics disregarded.
    case localizedStandardContains
    /// The order of both, case disregarded: -1, 0 or 1.
    case caseInsensitiveCompare
    /// The order of both in the current locale: -1, 0 or 1.
    case localizedCompare
  }
}
