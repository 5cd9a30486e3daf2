import Foundation
import StoreProtocol

extension PredicateExpressions {
  /// Supports `text.contains(search)` in predicates.
  public static func build_contains<Root, Search>(
    _ root: Root,
    _ search: Search
  ) -> FunctionCall<Root, Search, Bool>
  where Root.Output: StringProtocol, Search.Output == TextSearch {
    let expression = Foundation.Expression<Root.Output, TextSearch, Bool> {
      SearchTest(text: $0, search: $1)
    }
    let function = CapturedFunction(expression, description: "contains(TextSearch)")
    return build_evaluate(function.node, root, search)
  }
}

/// A test whether a string matches a search.
private struct SearchTest<Text: StringProtocol>: FunctionBody {
  typealias Output = Bool

  let text: PredicateExpressions.Variable<Text>
  let search: PredicateExpressions.Variable<TextSearch>

  func evaluate(_ bindings: PredicateBindings) throws -> Bool {
    try search.evaluate(bindings).isFound(in: String(text.evaluate(bindings)))
  }

  func lowered(by lowering: Lowering) throws -> QueryExpression {
    // The stored form of a search is the typed string.
    guard case .constant(.string(let typed)) = try lowering.lower(search) else {
      throw Lowering.unsupported(Self.self, "the search must be captured")
    }
    return .searches(try lowering.lower(text), TextSearch(typed))
  }
}
