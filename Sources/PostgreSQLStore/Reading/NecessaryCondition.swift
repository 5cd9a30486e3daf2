import QueryEvaluation
import SQLTranslation
import StoreProtocol

// Word search and comparisons that ignore case have rules for all of Unicode, which only the
// evaluator has. For strings of ASCII they are comparisons of bytes, so that SQL can exclude those
// that do not match. Rows with other characters are left to the evaluator.

extension ConditionTranslator {
  /// Returns a condition for SQL that every row passes for which a filter holds, or `nil` if there
  /// is none.
  func necessaryCondition(for filter: QueryExpression) throws -> SQLFragment? {
    switch filter {
    case .and(let parts):
      let conditions = try parts.compactMap { try necessaryCondition(for: $0) }
      return conditions.isEmpty ? nil : .all(conditions)
    case .or(let parts):
      return try parts.mapUnlessNil { try condition($0) ?? necessaryCondition(for: $0) }
        .map(SQLFragment.any)
    case .text(.localizedStandardContains, let text, .constant(.string(let part))):
      guard PlainText.isCasePlain, !part.isEmpty, part.utf8.allSatisfy(\.isPrintable)
      else { return nil }
      return try necessaryCondition(for: text) { $0.containsIgnoringCase(part) }
    case .searches(let text, let search):
      guard !search.groups.isEmpty else { return nil }
      return try necessaryCondition(for: text) { column in
        .all(
          search.groups.map { phrases in
            .any(phrases.map { .all($0.words.map(column.containsIgnoringCase)) })
          }
        )
      }
    default: return nil
    }
  }

  /// Returns a condition that strings of ASCII pass with a test, and all others without.
  private func necessaryCondition(
    for text: QueryExpression,
    _ test: (SQLFragment) -> SQLFragment
  ) throws -> SQLFragment? {
    guard let term = try term(text),
      term.content == .value(.string) || term.content == .value(.url)
    else { return nil }
    return translated(term, .holds) { column in
      .any(["\(column) ~ \(bind: .text("[^\\t-\\r -~]"))", test(column)])
    }
  }
}

extension SQLFragment {
  /// Returns the test whether a column contains a string, ignoring the case of ASCII letters.
  fileprivate func containsIgnoringCase(_ part: some StringProtocol) -> SQLFragment {
    // Columns have the collation "C", in which lower changes letters of ASCII alone. A quoted number
    // is not taken for a Boolean.
    "strpos(lower(\(self)), \(bind: .text(part.lowercased()))) > '0'"
  }
}

extension SearchPhrase {
  fileprivate var words: [Substring] { text.split(separator: " ") }
}

extension UInt8 {
  fileprivate var isPrintable: Bool { (0x20...0x7E).contains(self) }
}
