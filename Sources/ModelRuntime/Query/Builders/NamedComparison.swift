import StoreProtocol

/// A comparison by name or operator, for conditions in the form of strings: from a form, a command
/// line or a URL.
public enum NamedComparison: String, CaseIterable, Codable, Hashable, Sendable {
  /// The value is equal to the given one.
  case equals = "="
  /// The value is not equal to the given one.
  case isNot = "!="
  /// The value is less than the given one.
  case isLess = "<"
  /// The value is less than or equal to the given one.
  case isAtMost = "<="
  /// The value is greater than the given one.
  case isGreater = ">"
  /// The value is greater than or equal to the given one.
  case isAtLeast = ">="
  /// The value is a string that contains the given one, character by character.
  case contains
  /// The value is a string that starts with the given one, character by character.
  case startsWith
  /// The value is a string that contains the given one, ignoring case and diacritics.
  case localizedStandardContains
  /// The value is a string that contains the words of a search.
  case search

  /// The comparison of values, or `nil` for a string test.
  private var comparison: QueryExpression.Comparison? {
    switch self {
    case .equals: .equal
    case .isNot: .notEqual
    case .isLess: .less
    case .isAtMost: .lessOrEqual
    case .isGreater: .greater
    case .isAtLeast: .greaterOrEqual
    default: nil
    }
  }

  /// Returns the condition on a property for a string, where `nil` means no value.
  ///
  /// - Throws: ``DataStoreError/invalidValue`` for a string that is not a value of the property,
  ///   `SwiftDataError.unsupportedPredicate` for a property that does not support the comparison.
  func form(_ text: String?, for property: NamedProperty) throws -> ConditionForm {
    if let comparison {
      guard let text else {
        guard comparison == .equal || comparison == .notEqual else {
          throw property.unsupported("\(rawValue) cannot compare with nil")
        }
        return .compare(comparison, .null)
      }
      return .compare(comparison, try property.value(text))
    }
    guard let text else { throw property.unsupported("\(rawValue) needs a string") }
    guard property.type == .string || property.type == .url else {
      throw property.unsupported("\(rawValue) compares strings, and the property is not a string")
    }
    switch self {
    case .contains: return .text(.contains, text)
    case .startsWith: return .text(.startsWith, text)
    case .localizedStandardContains: return .text(.localizedStandardContains, text)
    default: return .searches(TextSearch(text))
    }
  }
}
