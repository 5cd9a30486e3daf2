import StoreProtocol

/// String tests, by the database itself or by a row function for rows that SQL finds.
extension ConditionTranslator {
  /// Translates the test whether a string starts with a constant one or contains it.
  package func tested(
    _ expression: QueryExpression,
    _ test: QueryExpression.TextTest,
    _ text: QueryExpression,
    _ part: String,
    _ side: Side
  ) throws -> SQLFragment? {
    guard let term = try term(text),
      term.content == .value(.string) || term.content == .value(.url)
    else { return nil }
    guard let value = dialect.textTest(test, term.value, part) else {
      return test == .startsWith ? try startsWith(expression, term, part, side) : nil
    }
    guard try exactness(of: term) == .exact else { return nil }
    // Without a string Swift would trap: neither side holds.
    guard side == .holds else { return .all(term.demands + ["NOT (\(value))"]) }
    return translated(term, .holds) { dialect.textTest(test, $0, part) ?? .never }
  }

  /// Translates a test for a constant prefix to an index range and a row function within it.
  ///
  /// The function is needed because a combining mark after the prefix can change its last
  /// character.
  private func startsWith(
    _ expression: QueryExpression,
    _ term: SQLTerm,
    _ prefix: String,
    _ side: Side
  ) throws -> SQLFragment? {
    guard side == .holds, !prefix.isEmpty, try exactness(of: term) == .exact,
      let starts = try judged(expression, side)
    else { return nil }
    let composed = ExactText.composed(prefix)
    return .all([translated(term, .holds) { $0.isInRange(ofPrefix: composed) }, starts])
  }
}

extension SQLFragment {
  /// Returns the condition that the bytes of a string start with those of another, in a form for
  /// which a database can use an index.
  package func isInRange(ofPrefix prefix: String) -> SQLFragment {
    let start: SQLFragment = "\(self) >= \(bind: .text(prefix))"
    guard let end = prefix.endOfPrefix else { return start }
    return .all([start, "\(self) < \(bind: .text(end))"])
  }
}

extension String {
  /// The first string, by scalars, after all that begin with this one, or `nil` if there is none.
  fileprivate var endOfPrefix: String? {
    var scalars = Array(unicodeScalars)
    while let last = scalars.popLast() {
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      guard let scalar = Unicode.Scalar(next) else { continue }
      var text = String.UnicodeScalarView(scalars)
      text.append(scalar)
      return String(text)
    }
    return nil
  }
}
