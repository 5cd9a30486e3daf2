import StoreProtocol

/// String tests that SQL narrows down and a row function decides.
extension ConditionTranslator {
  /// Translates a test for a constant prefix to an index range and a row function within it.
  ///
  /// The function is needed because a combining mark after the prefix can change its last
  /// character.
  package func startsWith(
    _ expression: QueryExpression,
    _ text: QueryExpression,
    _ prefix: String,
    _ side: Side
  ) throws -> SQLFragment? {
    guard side == .holds, !prefix.isEmpty, let term = try term(text),
      term.content == .value(.string) || term.content == .value(.url),
      try exactness(of: term) == .exact,
      let starts = try judged(expression, side)
    else { return nil }
    let composed = ExactText.composed(prefix)
    let lower = ColumnTest(
      comparison: .greaterOrEqual,
      operand: .text(composed),
      exactness: .exact,
      dialect: dialect
    )
    let upper = composed.endOfPrefix.map {
      ColumnTest(comparison: .less, operand: .text($0), exactness: .exact, dialect: dialect)
    }
    let range = said(term, .holds) { column in
      .all([lower(column)] + (upper.map { [$0(column)] } ?? []))
    }
    return .all([range, starts])
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
