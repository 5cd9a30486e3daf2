import Foundation

/// Several predicates taken for one: all of them hold, or any does.
struct JoinedPredicates<each Input>: FunctionBody {
  typealias Output = Bool

  let joining: PredicateJoining
  let parts: [Predicate<repeat each Input>]
  private let variables: (repeat PredicateExpressions.Variable<each Input>)

  init(
    _ joining: PredicateJoining,
    _ parts: [Predicate<repeat each Input>],
    _ variables: repeat PredicateExpressions.Variable<each Input>
  ) {
    self.joining = joining
    self.parts = parts
    self.variables = (repeat each variables)
  }

  func evaluate(_ bindings: PredicateBindings) throws -> Bool {
    let decisive = joining == .any
    for part in parts {
      let holds = try part.evaluate(repeat (each variables).evaluate(bindings))
      if holds == decisive { return decisive }
    }
    return !decisive
  }
}

/// How predicates are joined to one.
enum PredicateJoining: String {
  /// All must hold.
  case all
  /// At least one must hold.
  case any
}

extension JoinedPredicates {
  /// How many parts may have bound variables with numbers that no other part has.
  private static var numberedParts: Int { 100 }

  func lowered(by lowering: Lowering) throws -> QueryExpression {
    var inputs: [QueryExpression] = []
    for variable in repeat each variables { inputs.append(try lowering.lower(variable)) }
    // A part uses nothing of the others', so that the numbers of its variables can be used again.
    // They must be, since there is an end to them; where the input is the object that is fetched
    // no number of a part can be taken for one around it.
    let isShared = parts.count <= Self.numberedParts || inputs != [.element(0)]
    let neutral = QueryExpression.constant(.bool(joining == .all))
    var lowered: [QueryExpression] = []
    lowered.reserveCapacity(parts.count)
    for part in parts {
      let inner = isShared ? lowering : Lowering(schema: lowering.schema)
      repeat inner.bind(each part.variable, to: try lowering.lower(each variables))
      let expression = try inner.lower(part.expression)
      if expression != neutral { lowered += expression.operands(of: joining) }
    }
    if lowered.isEmpty { return neutral }
    if lowered.count == 1 { return lowered[0] }
    return joining == .all ? .and(lowered) : .or(lowered)
  }
}

extension QueryExpression {
  /// What this expression joins, itself where it joins nothing or in the other way.
  fileprivate func operands(of joining: PredicateJoining) -> [QueryExpression] {
    switch (self, joining) {
    case (.and(let parts), .all), (.or(let parts), .any): parts
    default: [self]
    }
  }
}
