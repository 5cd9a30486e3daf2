/// A comparison by name or sign, for conditions that come as texts: from a form, a command line or
/// the address of a web page.
public enum NamedComparison: String, CaseIterable, Codable, Hashable, Sendable {
  /// The value is equal to the text's.
  case equals = "="
  /// The value is not equal to the text's.
  case isNot = "!="
  /// The value is less than the text's.
  case isLess = "<"
  /// The value is less than the text's or equal to it.
  case isAtMost = "<="
  /// The value is greater than the text's.
  case isGreater = ">"
  /// The value is greater than the text's or equal to it.
  case isAtLeast = ">="
  /// The value is a text that contains the other, character by character.
  case contains
  /// The value is a text that starts with the other, character by character.
  case startsWith
  /// The value is a text that contains the other, case and diacritics disregarded.
  case localizedStandardContains
  /// The value is a text that has the words of a search.
  case search

  /// The comparison of values, nil for a test of texts.
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

  /// The condition on a property that a text gives; nil is no value.
  ///
  /// - Throws: ``DataStoreError/invalidValue`` for a text that is no value of the property,
  ///   `SwiftDataError.unsupportedPredicate` for a property that cannot be compared so.
  func form(_ text: String?, for property: NamedProperty) throws -> ConditionForm {
    if let comparison {
      guard let text else {
        guard comparison == .equal || comparison == .notEqual else {
          throw property.unsupported("nothing is \(rawValue) no value")
        }
        return .compare(comparison, .null)
      }
      return .compare(comparison, try property.value(text))
    }
    guard let text else { throw property.unsupported("\(rawValue) needs a text") }
    guard property.type == .string || property.type == .url else {
      throw property.unsupported("\(rawValue) is for texts, and the property holds none")
    }
    switch self {
    case .contains: return .text(.contains, text)
    case .startsWith: return .text(.startsWith, text)
    case .localizedStandardContains: return .text(.localizedStandardContains, text)
    default: return .searches(TextSearch(text))
    }
  }
}
