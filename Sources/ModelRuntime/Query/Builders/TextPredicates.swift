import Foundation
import QueryEvaluation
import StoreProtocol

#if canImport(Darwin)
  // Foundation has these nodes on Apple's systems.

  /// A node that tests two strings.
  private protocol StringComparisonNode: LoweredNode {
    associatedtype Root: PredicateExpression
    associatedtype Other: PredicateExpression

    /// The string test.
    static var test: QueryExpression.TextTest { get }
    var root: Root { get }
    var other: Other { get }
  }

  extension StringComparisonNode {
    func lowered(by lowering: Lowering) throws -> QueryExpression {
      .text(Self.test, try lowering.lower(root), try lowering.lower(other))
    }
  }

  extension PredicateExpressions.StringLocalizedStandardContains: StringComparisonNode {
    static var test: QueryExpression.TextTest { .localizedStandardContains }
  }

  extension PredicateExpressions.StringCaseInsensitiveCompare: StringComparisonNode {
    static var test: QueryExpression.TextTest { .caseInsensitiveCompare }
  }

  extension PredicateExpressions.StringLocalizedCompare: StringComparisonNode {
    static var test: QueryExpression.TextTest { .localizedCompare }
  }

  extension PredicateExpressions.PredicateEvaluate: LoweredNode {
    func lowered(by lowering: Lowering) throws -> QueryExpression {
      let constant = predicate as? any CapturedValue
      typealias Inner = Foundation.Predicate<repeat (each Input).Output>
      guard let inner = constant?.captured as? Inner else {
        throw Lowering.unsupported(Self.self, "the predicate must be captured")
      }
      repeat lowering.bind(each inner.variable, to: try lowering.lower(each input))
      return try lowering.lower(inner.expression)
    }
  }
#else
  // Other systems lack them; the macro finds the builders by name.

  extension PredicateExpressions {
    /// Supports `text.localizedStandardContains(other)` in predicates.
    public static func build_localizedStandardContains<Root, Other>(
      _ root: Root,
      _ other: Other
    ) -> FunctionCall<Root, Other, Bool>
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
      call(.localizedStandardContains, root, other) {
        TextComparison.localizedStandardContains($0, $1)
      }
    }

    /// Supports `text.caseInsensitiveCompare(other)` in predicates.
    public static func build_caseInsensitiveCompare<Root, Other>(
      _ root: Root,
      _ other: Other
    ) -> FunctionCall<Root, Other, ComparisonResult>
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
      call(.caseInsensitiveCompare, root, other) {
        ComparisonResult(rawValue: TextComparison.caseInsensitiveCompare($0, $1)) ?? .orderedSame
      }
    }

    /// Supports `text.localizedCompare(other)` in predicates.
    public static func build_localizedCompare<Root, Other>(
      _ root: Root,
      _ other: Other
    ) -> FunctionCall<Root, Other, ComparisonResult>
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
      call(.localizedCompare, root, other) {
        ComparisonResult(rawValue: TextComparison.localizedCompare($0, $1)) ?? .orderedSame
      }
    }

    private static func call<Root, Other, Output>(
      _ test: QueryExpression.TextTest,
      _ root: Root,
      _ other: Other,
      _ compare: @escaping @Sendable (String, String) -> Output
    ) -> FunctionCall<Root, Other, Output>
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
      let expression = Foundation.Expression<Root.Output, Other.Output, Output> {
        StringComparison(test: test, first: $0, second: $1, compare: compare)
      }
      return build_evaluate(
        CapturedFunction(expression, description: test.rawValue).node,
        root,
        other
      )
    }
  }

  /// A test or comparison of two strings.
  private struct StringComparison<First: StringProtocol, Second: StringProtocol, Output>:
    FunctionBody
  {
    let test: QueryExpression.TextTest
    let first: PredicateExpressions.Variable<First>
    let second: PredicateExpressions.Variable<Second>
    let compare: @Sendable (String, String) -> Output

    func evaluate(_ bindings: PredicateBindings) throws -> Output {
      compare(String(try first.evaluate(bindings)), String(try second.evaluate(bindings)))
    }

    func lowered(by lowering: Lowering) throws -> QueryExpression {
      .text(test, try lowering.lower(first), try lowering.lower(second))
    }
  }
#endif
