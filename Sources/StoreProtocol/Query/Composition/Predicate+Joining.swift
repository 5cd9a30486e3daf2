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
  public static func && (lhs: Self, rhs: Self) -> Self { lhs.joined(.all, with: rhs) }

  /// A predicate that holds where one of both does; the second is not asked where the first does.
  public static func || (lhs: Self, rhs: Self) -> Self { lhs.joined(.any, with: rhs) }

  /// A predicate that holds where another does not.
  public static prefix func ! (predicate: Self) -> Self {
    let function = Self.function(.all, [predicate])
    return Self { (variable: repeat PredicateExpressions.Variable<each Input>) in
      PredicateExpressions.build_Negation(
        PredicateExpressions.build_evaluate(function.node, repeat each variable)
      )
    }
  }

  private typealias Joined = CapturedFunction<Expression<repeat each Input, Bool>>

  private init(joining: PredicateJoining, _ parts: [Self]) {
    let function = Self.function(joining, parts)
    self.init { (variable: repeat PredicateExpressions.Variable<each Input>) in
      PredicateExpressions.build_evaluate(function.node, repeat each variable)
    }
  }

  private static func function(_ joining: PredicateJoining, _ parts: [Self]) -> Joined {
    let expression = Expression { (variable: repeat PredicateExpressions.Variable<each Input>) in
      JoinedPredicates(joining, parts, repeat each variable)
    }
    let description =
      parts.count == 1 ? "a predicate" : "\(joining.rawValue) of \(parts.count) predicates"
    return Joined(expression, description: description)
  }

  /// Adds a predicate to what this one joins already, so that a chain of operators makes a list and
  /// no deep tree; lists of many parts are nested, so that each addition copies few of them.
  private func joined(_ joining: PredicateJoining, with other: Self) -> Self {
    guard let list = joinedParts, list.joining == joining, list.parts.count < 1_000 else {
      return Self(joining: joining, [self, other])
    }
    return Self(joining: joining, list.parts + [other])
  }

  /// The list that was joined to this predicate, nil where it was made otherwise.
  private var joinedParts: JoinedPredicates<repeat each Input>? {
    typealias Call = PredicateExpressions.ExpressionEvaluate<
      Joined.Node, repeat PredicateExpressions.Variable<each Input>, Bool
    >
    let call = expression as? Call
    return call?.expression.root.value.function.expression as? JoinedPredicates<repeat each Input>
  }
}
