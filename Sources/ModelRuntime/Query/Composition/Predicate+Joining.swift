import Foundation

// Predicates within predicates, which the macro does not support on Linux.

extension Predicate {
  /// Creates a predicate that holds if all of several predicates hold.
  ///
  /// Without predicates it always holds. A fetch treats the result as if the predicates had been
  /// written as one, with `&&` between them; there may be thousands.
  ///
  /// The spelling is that of Foundation's proposal SF-0036, which later versions of Foundation
  /// follow.
  // Takes an array, so that it is preferred over Foundation's initializer, whose deep trees do not
  // support thousands.
  public init(all subpredicates: [Self]) {
    self = subpredicates.isEmpty ? .true : Self(joining: .all, subpredicates)
  }

  /// Creates a predicate that holds if all of several predicates hold.
  // Disfavored, so that it is not ambiguous with Foundation's, if there is one.
  @_disfavoredOverload
  public init(all subpredicates: some BidirectionalCollection<Self>) {
    self.init(all: Array(subpredicates))
  }

  /// Creates a predicate that holds if any of several predicates holds.
  ///
  /// Without predicates it never holds. A fetch treats the result as if the predicates had been
  /// written as one, with `||` between them; there may be thousands.
  ///
  /// The spelling is that of Foundation's proposal SF-0036, which later versions of Foundation
  /// follow.
  public init(any subpredicates: [Self]) {
    self = subpredicates.isEmpty ? .false : Self(joining: .any, subpredicates)
  }

  /// Creates a predicate that holds if any of several predicates holds.
  // Disfavored for the same reason as above.
  @_disfavoredOverload
  public init(any subpredicates: some BidirectionalCollection<Self>) {
    self.init(any: Array(subpredicates))
  }

  /// Returns a predicate that holds if both predicates hold, and evaluates the second only if the
  /// first holds.
  ///
  /// A chain of one operator is one list. Chains may nest 64 levels
  /// deep. For more levels, a fetch and an evaluation throw `SwiftDataError.unsupportedPredicate`.
  public static func && (lhs: Self, rhs: Self) -> Self { lhs.joined(.all, with: rhs) }

  /// Returns a predicate that holds if either predicate holds, and evaluates the second only if the
  /// first does not hold.
  public static func || (lhs: Self, rhs: Self) -> Self { lhs.joined(.any, with: rhs) }

  /// Returns a predicate that holds if another does not.
  public static prefix func ! (predicate: Self) -> Self {
    let function = Self.function(.all, [predicate], depth: predicate.depth + 1)
    return Self { (variable: repeat PredicateExpressions.Variable<each Input>) in
      PredicateExpressions.build_Negation(
        PredicateExpressions.build_evaluate(function.node, repeat each variable)
      )
    }
  }

  private typealias Joined = CapturedFunction<Expression<repeat each Input, Bool>>
  private typealias Call = PredicateExpressions.ExpressionEvaluate<
    Joined.Node, repeat PredicateExpressions.Variable<each Input>, Bool
  >

  private init(joining: PredicateJoining, _ parts: [Self], depth: Int? = nil) {
    // A loop: the runtime of Swift 6.3.1 crashes when it creates a key path of a type that has a
    // pack.
    var deepest = 0
    if depth == nil { for part in parts { deepest = max(deepest, part.depth) } }
    let depth = depth ?? deepest + 1
    let function = Self.function(joining, parts, depth: depth)
    self.init { (variable: repeat PredicateExpressions.Variable<each Input>) in
      PredicateExpressions.build_evaluate(function.node, repeat each variable)
    }
  }

  private static func function(
    _ joining: PredicateJoining,
    _ parts: [Self],
    depth: Int
  ) -> Joined {
    let expression = Expression { (variable: repeat PredicateExpressions.Variable<each Input>) in
      JoinedPredicates(joining, parts, depth: depth, repeat each variable)
    }
    let description =
      parts.count == 1 ? "a predicate" : "\(joining.rawValue) of \(parts.count) predicates"
    return Joined(expression, description: description)
  }

  /// Adds a predicate to the list that this predicate joins, so that a chain of operators results
  /// in a list instead of a deep tree.
  ///
  /// Lists of many parts are nested, so that each addition copies few of them.
  private func joined(_ joining: PredicateJoining, with other: Self) -> Self {
    guard let (list, isNegated) = joined, !isNegated, list.joining == joining,
      list.parts.count < 1_000
    else { return Self(joining: joining, [self, other]) }
    return Self(joining: joining, list.parts + [other], depth: max(list.depth, other.depth + 1))
  }

  /// The nesting depth of joined predicates, or 0 for any other predicate.
  private var depth: Int { joined?.list.depth ?? 0 }

  /// The list that was joined into this predicate, and whether this is its negation, or `nil` for
  /// any other predicate.
  var joined: (list: JoinedPredicates<repeat each Input>, isNegated: Bool)? {
    let negated = expression as? PredicateExpressions.Negation<Call>
    guard let call = negated?.wrapped ?? expression as? Call,
      let list = call.expression.root.value.function.expression
        as? JoinedPredicates<repeat each Input>
    else { return nil }
    return (list, negated != nil)
  }
}
