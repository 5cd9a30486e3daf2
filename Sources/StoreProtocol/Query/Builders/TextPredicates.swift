#if !canImport(Darwin)
  import Foundation

  // Foundation has these nodes on Apple's systems only; the macro finds the builders by name.

  extension PredicateExpressions {
    /// Whether a text contains another, case and diacritics disregarded.
    public struct StringLocalizedStandardContains<Root, Other>: PredicateExpression
    where
      Root: PredicateExpression,
      Other: PredicateExpression,
      Root.Output: StringProtocol,
      Other.Output: StringProtocol
    {
      /// The kind of answer.
      public typealias Output = Bool

      /// The text to look in.
      public let root: Root
      /// The text to look for.
      public let other: Other

      /// Creates the node.
      public init(root: Root, other: Other) {
        self.root = root
        self.other = other
      }

      /// The answer for the values that are bound.
      public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
        TextComparison.localizedStandardContains(
          String(try root.evaluate(bindings)),
          String(try other.evaluate(bindings))
        )
      }
    }

    /// The order of two texts, case disregarded.
    public struct StringCaseInsensitiveCompare<Root, Other>: PredicateExpression
    where
      Root: PredicateExpression,
      Other: PredicateExpression,
      Root.Output: StringProtocol,
      Other.Output: StringProtocol
    {
      /// The kind of answer.
      public typealias Output = ComparisonResult

      /// The first text.
      public let root: Root
      /// The second text.
      public let other: Other

      /// Creates the node.
      public init(root: Root, other: Other) {
        self.root = root
        self.other = other
      }

      /// The answer for the values that are bound.
      public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
        let (first, second) = (try root.evaluate(bindings), try other.evaluate(bindings))
        let order = TextComparison.caseInsensitiveCompare(String(first), String(second))
        return ComparisonResult(rawValue: order) ?? .orderedSame
      }
    }

    /// The order of two texts in the current locale.
    public struct StringLocalizedCompare<Root, Other>: PredicateExpression
    where
      Root: PredicateExpression,
      Other: PredicateExpression,
      Root.Output: StringProtocol,
      Other.Output: StringProtocol
    {
      /// The kind of answer.
      public typealias Output = ComparisonResult

      /// The first text.
      public let root: Root
      /// The second text.
      public let other: Other

      /// Creates the node.
      public init(root: Root, other: Other) {
        self.root = root
        self.other = other
      }

      /// The answer for the values that are bound.
      public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
        let (first, second) = (try root.evaluate(bindings), try other.evaluate(bindings))
        let order = TextComparison.localizedCompare(String(first), String(second))
        return ComparisonResult(rawValue: order) ?? .orderedSame
      }
    }
  }

  extension PredicateExpressions {
    /// Lets predicates say `text.localizedStandardContains(other)`.
    public static func build_localizedStandardContains<Root, Other>(
      _ root: Root,
      _ other: Other
    ) -> StringLocalizedStandardContains<Root, Other> {
      StringLocalizedStandardContains(root: root, other: other)
    }

    /// Lets predicates say `text.caseInsensitiveCompare(other)`.
    public static func build_caseInsensitiveCompare<Root, Other>(
      _ root: Root,
      _ other: Other
    ) -> StringCaseInsensitiveCompare<Root, Other> {
      StringCaseInsensitiveCompare(root: root, other: other)
    }

    /// Lets predicates say `text.localizedCompare(other)`.
    public static func build_localizedCompare<Root, Other>(
      _ root: Root,
      _ other: Other
    ) -> StringLocalizedCompare<Root, Other> {
      StringLocalizedCompare(root: root, other: other)
    }
  }

  extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
  where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

  extension PredicateExpressions.StringCaseInsensitiveCompare: StandardPredicateExpression
  where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

  extension PredicateExpressions.StringLocalizedCompare: StandardPredicateExpression
  where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

  extension PredicateExpressions.StringLocalizedStandardContains: Codable
  where Root: Codable, Other: Codable {}

  extension PredicateExpressions.StringCaseInsensitiveCompare: Codable
  where Root: Codable, Other: Codable {}

  extension PredicateExpressions.StringLocalizedCompare: Codable
  where Root: Codable, Other: Codable {}

  extension PredicateExpressions.StringLocalizedStandardContains: Sendable
  where Root: Sendable, Other: Sendable {}

  extension PredicateExpressions.StringCaseInsensitiveCompare: Sendable
  where Root: Sendable, Other: Sendable {}

  extension PredicateExpressions.StringLocalizedCompare: Sendable
  where Root: Sendable, Other: Sendable {}
#endif
