import SQLTranslation
import StoreProtocol

/// Searches of texts whose words have an index.
extension ConditionTranslator {
  /// A search of more phrases is judged row by row: the library's parser has limits.
  private static let mostPhrases = 100

  /// Whether a text has the words of a search, by the index of its column; nil where there is none.
  ///
  /// The index has no row without a text, so that the key of a row is all that has to be known.
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

  /// The conditions that a text is there and matches, or that it is there and does not.
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
    // A search that only excludes matches where the index finds nothing.
    return (ftsExpression == nil) == (side == .holds)
      ? [isThere, "\(key) NOT IN \(isMatch)"] : ["\(key) IN \(isMatch)"]
  }

  /// What is asked for in FTS5's language, nil where only exclusions are.
  private var ftsExpression: String? {
    guard !groups.isEmpty else { return nil }
    let wanted = groups.compactMap(\.ftsAlternatives).joined(separator: " AND ")
    return excluded.ftsAlternatives.map { "(\(wanted)) NOT \($0)" } ?? wanted
  }
}

extension [SearchPhrase] {
  /// Any of the phrases in FTS5's language, nil for none; the words of a phrase have no quotes.
  fileprivate var ftsAlternatives: String? {
    let phrases = map { "\"\($0.text)\"" + ($0.isPrefix ? " *" : "") }
    return phrases.isEmpty ? nil : "(\(phrases.joined(separator: " OR ")))"
  }
}

extension SearchIndexMap {
  /// The keys of the rows whose words match an expression.
  fileprivate func matches(_ expression: String) -> SQLFragment {
    "SELECT rowid FROM \(sql) WHERE \(sql) MATCH \(bind: .text(expression))"
  }
}
