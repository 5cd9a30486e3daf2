import Foundation

// Predicates within predicates, which the macro does not allow on Linux.

extension Predicate {
  /// Creates a predicate that holds where all of several do.
  ///
  /// Without predicates it holds everywhere. A fetch takes the result as if the predicates had been
  /// written as one, with `&&` between them; there may be thousands.
  ///
  /// The spelling is that of Foundation's proposal SF-0036, which Foundation itself follows in
  /// later versions.
  // Of an array, so that it is taken before Foundation's initialiser, whose deep trees are not for
  // thousands.
  public init(all subpredicates: [Self]) {
    self = subpredicates.isEmpty ? .true : Self(joining: .all, subpredicates)
  }

  /// Creates a predicate that holds where all of several do.
  // Disfavoured, so that it does not contend with Foundation's where there is one.
  @_disfavoredOverload
  public init(all subpredicates: some BidirectionalCollection<Self>) {
    self.init(all: Array(subpredicates))
  }

  /// Creates a predicate that holds where any of several does.
  ///
  /// Without predicates it holds nowhere. A fetch takes the result as if the predicates had been
  /// written as one, with `||` between them; there may be thousands.
  ///
  /// The spelling is that of Foundation's proposal SF-0036, which Foundation itself follows in
  /// later versions.
  public init(any subpredicates: [Self]) {
    self = subpredicates.isEmpty ? .false : Self(joining: .any, subpredicates)
  }

  /// Creates a predicate that holds where any of several does.
  // Disfavoured for the same reason as above.
  @_disfavoredOverload
  public init(any subpredicates: some BidirectionalCollection<Self>) {
    self.init(any: Array(subpredicates))
  }

  /// A predicate that holds where both do; the second is not asked where the first does not.
  ///
  /// A chain of one operator is one list. Chains in one another may be
  /// ``QueryExpression/maximumDepth`` levels deep; a fetch and an evaluation throw
  /// `SwiftDataError.unsupportedPredicate` for more.
  public static func && (lhs: Self, rhs: Self) -> Self { lhs.joined(.all, with: rhs) }

  /// A predicate that holds where one of both does; the second is not asked where the first does.
  public static func || (lhs: Self, rhs: Self) -> Self { lhs.joined(.any, with: rhs) }

  /// A predicate that holds where another does not.
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
    // A loop: the runtime of Swift 6.3.1 crashes when it makes a key path of a type that has a pack.
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

  /// Adds a predicate to what this one joins already, so that a chain of operators makes a list and
  /// no deep tree; lists of many parts are nested, so that each addition copies few of them.
  private func joined(_ joining: PredicateJoining, with other: Self) -> Self {
    guard let (list, isNegated) = joined, !isNegated, list.joining == joining,
      list.parts.count < 1_000
    else { return Self(joining: joining, [self, other]) }
    return Self(joining: joining, list.parts + [other], depth: max(list.depth, other.depth + 1))
  }

  /// The number of joined predicates in one another, 0 for a predicate that was made otherwise.
  private var depth: Int { joined?.list.depth ?? 0 }

  /// The list that was joined to this predicate, and whether this is its negation; `nil` for a
  /// predicate that was made otherwise.
  var joined: (list: JoinedPredicates<repeat each Input>, isNegated: Bool)? {
    let negated = expression as? PredicateExpressions.Negation<Call>
    guard let call = negated?.wrapped ?? expression as? Call,
      let list = call.expression.root.value.function.expression
        as? JoinedPredicates<repeat each Input>
    else { return nil }
    return (list, negated != nil)
  }
}
