import SQLTranslation
import StoreProtocol

/// Searches of strings whose words have an index.
extension ConditionTranslator {
  /// The maximum number of phrases; a search with more is evaluated row by row, since the library's
  /// parser has limits.
  private static let mostPhrases = 100

  /// Returns the condition that a string matches a search, by the index of its column, or `nil` if
  /// there is none.
  ///
  /// The index has no row for a missing string, so only the key of a row is needed.
  func indexedSearch(
    _ text: QueryExpression,
    _ search: TextSearch,
    _ side: Side
  ) throws -> SQLFragment? {
    switch text {
    case .element(let variable):
      guard case .expression(let expression, let outer) = scope[variable] else { return nil }
      return try outer.indexedSearch(expression, search, side)
    case .unwrap(let value): return try indexedSearch(value, search, side)
    case .property(let base, let name):
      guard let object = try object(base), let term = try column(name, of: object),
        let column = object.map.column(of: name),
        let index = object.map.table.liveSearchIndexes.first(where: { $0.column == column }),
        search.phraseCount <= Self.mostPhrases
      else { return nil }
      let found = search.found(index, key: object.key, text: term.text, side)
      return .all(object.demands + object.guards + found)
    default: return nil
    }
  }
}

extension TextSearch {
  fileprivate var phraseCount: Int { groups.reduce(excluded.count) { $0 + $1.count } }

  /// Returns the conditions that a string is not null and matches, or that it is not null and does
  /// not.
  fileprivate func found(
    _ index: SearchIndexMap,
    key: SQLFragment,
    text: SQLFragment,
    _ side: ConditionTranslator.Side
  ) -> [SQLFragment] {
    let isThere: SQLFragment = "\(text) IS NOT NULL"
    guard let expression = ftsExpression ?? excluded.ftsAlternatives else {
      return side == .holds ? [isThere] : [.never]
    }
    let isMatch: SQLFragment = "(\(index.matches(expression)))"
    // A search that only excludes matches if the index finds nothing.
    return (ftsExpression == nil) == (side == .holds)
      ? [isThere, "\(key) NOT IN \(isMatch)"] : ["\(key) IN \(isMatch)"]
  }

  /// The required phrases in FTS5's language, or `nil` if the search only excludes.
  private var ftsExpression: String? {
    guard !groups.isEmpty else { return nil }
    let wanted = groups.compactMap(\.ftsAlternatives).joined(separator: " AND ")
    return excluded.ftsAlternatives.map { "(\(wanted)) NOT \($0)" } ?? wanted
  }
}

extension [SearchPhrase] {
  /// Any of the phrases in FTS5's language, or `nil` for none; the words of a phrase have no
  /// quotes.
  fileprivate var ftsAlternatives: String? {
    let phrases = map { "\"\($0.text)\"" + ($0.isPrefix ? " *" : "") }
    return phrases.isEmpty ? nil : "(\(phrases.joined(separator: " OR ")))"
  }
}

extension SearchIndexMap {
  /// Returns the query for the keys of the rows whose words match an expression.
  fileprivate func matches(_ expression: String) -> SQLFragment {
    "SELECT rowid FROM \(sql) WHERE \(sql) MATCH \(bind: .text(expression))"
  }
}
