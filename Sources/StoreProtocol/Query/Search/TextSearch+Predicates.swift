import Foundation

extension PredicateExpressions {
  /// Lets predicates say `text.contains(search)`.
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

/// Whether a text matches a search.
private struct SearchTest<Text: StringProtocol>: FunctionBody {
  typealias Output = Bool

  let text: PredicateExpressions.Variable<Text>
  let search: PredicateExpressions.Variable<TextSearch>

  func evaluate(_ bindings: PredicateBindings) throws -> Bool {
    try search.evaluate(bindings).isFound(in: String(text.evaluate(bindings)))
  }

  func lowered(by lowering: Lowering) throws -> QueryExpression {
    // A search is stored as the text that was typed.
    guard case .constant(.string(let typed)) = try lowering.lower(search) else {
      throw Lowering.unsupported(Self.self, "the search must be captured")
    }
    return .searches(try lowering.lower(text), TextSearch(typed))
  }
}
