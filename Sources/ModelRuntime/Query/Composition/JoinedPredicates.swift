import Foundation
import StoreProtocol

/// Several predicates joined into one that holds if all of them, or any of them, hold.
///
/// Nested joined predicates are evaluated without recursion.
struct JoinedPredicates<each Input>: FunctionBody {
  typealias Output = Bool

  let joining: PredicateJoining
  /// The predicates; empty if they would nest too deeply.
  let parts: [Predicate<repeat each Input>]
  /// The nesting depth of joined predicates, including this one.
  let depth: Int
  private let variables: (repeat PredicateExpressions.Variable<each Input>)

  /// Joins predicates.
  ///
  /// A tree that is too deep is dropped here, because even its release takes a stack frame for each
  /// level.
  init(
    _ joining: PredicateJoining,
    _ parts: [Predicate<repeat each Input>],
    depth: Int,
    _ variables: repeat PredicateExpressions.Variable<each Input>
  ) {
    self.joining = joining
    self.parts = depth > QueryExpression.maximumDepth ? [] : parts
    self.depth = depth
    self.variables = (repeat each variables)
  }

  private func checkDepth() throws {
    guard depth > QueryExpression.maximumDepth else { return }
    throw SwiftDataError.unsupportedPredicate.with(QueryExpression.tooDeep)
  }

  /// A list during evaluation or lowering, with its remaining parts.
  private struct Open<Context> {
    let joining: PredicateJoining
    let isNegated: Bool
    var rest: ArraySlice<Predicate<repeat each Input>>
    var context: Context

    init(_ list: JoinedPredicates, isNegated: Bool = false, _ context: Context) {
      joining = list.joining
      self.isNegated = isNegated
      rest = list.parts[...]
      self.context = context
    }
  }

  func evaluate(_ bindings: PredicateBindings) throws -> Bool {
    try checkDepth()
    var open = [Open(self, ())]
    while var list = open.popLast() {
      var result: Bool
      if let part = list.rest.popFirst() {
        open.append(list)
        if let (inner, isNegated) = part.joined {
          open.append(Open(inner, isNegated: isNegated, ()))
          continue
        }
        result = try part.evaluate(repeat (each variables).evaluate(bindings))
      } else {
        result = (list.joining == .all) != list.isNegated
      }
      // A result that decides a list is the result of that list.
      while let around = open.last, result == (around.joining == .any) {
        result = result != around.isNegated
        open.removeLast()
      }
      if open.isEmpty { return result }
    }
    return true
  }
}

/// The way in which predicates are joined.
enum PredicateJoining: String {
  /// All must hold.
  case all
  /// At least one must hold.
  case any
}

extension JoinedPredicates {
  /// The number of parts whose bound variables may have numbers that no other part has.
  private static var numberedParts: Int { 100 }

  func lowered(by lowering: Lowering) throws -> QueryExpression {
    try checkDepth()
    var inputs: [QueryExpression] = []
    for variable in repeat each variables { inputs.append(try lowering.lower(variable)) }
    var open = [Open(self, (lowering, [QueryExpression]()))]
    while var list = open.popLast() {
      let result: QueryExpression
      if let part = list.rest.popFirst() {
        let inner = Self.lowering(of: list.rest.count, in: list.context.0, inputs)
        open.append(list)
        if let (parts, isNegated) = part.joined {
          open.append(Open(parts, isNegated: isNegated, (inner, [])))
          continue
        }
        repeat inner.bind(each part.variable, to: try lowering.lower(each variables))
        result = try inner.lower(part.expression)
      } else {
        result = list.joining.expression(of: list.context.1, isNegated: list.isNegated)
      }
      guard let around = open.last else { return result }
      if result != around.joining.neutral {
        open[open.count - 1].context.1 += result.operands(of: around.joining)
      }
    }
    return joining.neutral
  }

  /// Returns the lowering for a part that has a number of parts after it.
  ///
  /// A part does not use the variables of the others, so their numbers can be reused. They must be,
  /// because the numbers are limited. If the input is the fetched object, a part's number cannot be
  /// confused with an outer one.
  private static func lowering(
    of rest: Int,
    in outer: Lowering,
    _ inputs: [QueryExpression]
  ) -> Lowering {
    rest < numberedParts || inputs != [.element(0)]
      ? outer : Lowering(schema: outer.schema, within: outer)
  }
}

extension PredicateJoining {
  /// The neutral element of the join.
  fileprivate var neutral: QueryExpression { .constant(.bool(self == .all)) }

  /// Returns the expression that joins others.
  fileprivate func expression(of parts: [QueryExpression], isNegated: Bool) -> QueryExpression {
    let joined: QueryExpression =
      switch parts.count {
      case 0: neutral
      case 1: parts[0]
      default: self == .all ? .and(parts) : .or(parts)
      }
    return isNegated ? .not(joined) : joined
  }
}

extension QueryExpression {
  /// Returns the operands that this expression joins, or the expression itself if it does not join
  /// in this way.
  func operands(of joining: PredicateJoining) -> [QueryExpression] {
    switch (self, joining) {
    case (.and(let parts), .all), (.or(let parts), .any): parts
    default: [self]
    }
  }
}
