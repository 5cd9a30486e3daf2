import Foundation
import StoreProtocol

extension PredicateExpressions.CollectionContainsCollection: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    .text(.contains, try lowering.lower(base), try lowering.lower(other))
  }
}

extension PredicateExpressions.SequenceStartsWith: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    .text(.startsWith, try lowering.lower(base), try lowering.lower(prefix))
  }
}

extension PredicateExpressions.StringContainsRegex: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    guard let constant = regex as? any CapturedValue else {
      throw Lowering.unsupported(Self.self, "the expression must be captured")
    }
    let pattern: QueryPattern
    switch constant.captured {
    case let literal as PredicateExpressions.PredicateRegex:
      let regex = literal.regex
      pattern = QueryPattern(source: literal.stringRepresentation) { $0.contains(regex) }
    case let component as any RegexComponent: pattern = Self.pattern(component)
    default: throw Lowering.unsupported(Self.self, "the expression must be a Regex")
    }
    return .matches(try lowering.lower(subject), pattern)
  }

  private static func pattern(_ component: some RegexComponent) -> QueryPattern {
    let regex = component.regex
    return QueryPattern(source: "a regular expression") { $0.contains(regex) }
  }
}
