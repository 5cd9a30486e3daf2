import StoreProtocol

/// Splits filters into a part for SQL and a part that the evaluator applies to the remaining rows.
package struct FilterTranslator {
  package let conditions: ConditionTranslator

  /// The two parts of a filter.
  package struct Split {
    /// The conditions for SQL, all of which must hold.
    package var fragments: [SQLFragment] = []

    /// The conditions for SQL as expressions.
    package var native: [QueryExpression] = []

    /// The conditions for the evaluator.
    package var rest: [QueryExpression] = []

    /// The conditions for the evaluator as one expression, or `nil` if there are none.
    package var remaining: QueryExpression? { Self.joined(rest) }

    /// The conditions for SQL as one expression, or `nil` if there are none.
    package var judged: QueryExpression? { Self.joined(native) }

    private static func joined(_ terms: [QueryExpression]) -> QueryExpression? {
      terms.isEmpty ? nil : terms.count == 1 ? terms[0] : .and(terms)
    }
  }

  package func split(_ filter: QueryExpression?) throws -> Split {
    var split = Split()
    guard let filter else { return split }
    guard let conjuncts = filter.shallowConjuncts(depth: ConditionTranslator.maximumDepth) else {
      split.rest = [filter]
      return split
    }
    // Many conditions become one: the planner's time grows with the square of their number.
    let isLong = conjuncts.count > ConditionTranslator.maximumParts
    for term in isLong ? [.and(conjuncts)] : conjuncts {
      if let fragment = try fragment(term) {
        split.fragments.append(fragment)
        split.native.append(term)
      } else {
        split.rest.append(term)
      }
    }
    return split
  }

  private func fragment(_ term: QueryExpression) throws -> SQLFragment? {
    guard !term.isDeeper(than: QueryExpression.maximumDepth) else { return nil }
    if let translated = try conditions.condition(term), translated.isWithinLimits {
      return translated
    }
    if let judged = try conditions.judged(term, .holds), judged.isWithinLimits { return judged }
    return nil
  }

  package init(conditions: ConditionTranslator) {
    self.conditions = conditions
  }
}

extension QueryExpression {
  /// Returns the terms that must all hold, or `nil` if they are nested too deeply.
  package func shallowConjuncts(depth: Int) -> [QueryExpression]? {
    guard case .and(let terms) = self else { return [self] }
    guard depth > 0 else { return nil }
    return terms.mapUnlessNil { $0.shallowConjuncts(depth: depth - 1) }?.flatMap { $0 }
  }
}

extension SQLFragment {
  /// Whether SQLite's parser accepts the text.
  ///
  /// Its stack holds about ninety unfinished constructs, of which an inner query is nine.
  package var isWithinLimits: Bool {
    // A short text cannot nest as deeply.
    if text.utf8.count < 400 { return true }
    guard text.utf8.count <= 100_000, parameters.count <= 20_000 else { return false }
    var open: [Int] = []
    var (depth, highest) = (0, 0)
    var quote: UInt8?
    let bytes = Array(text.utf8)
    let select = Array("(SELECT".utf8)
    for (index, byte) in bytes.enumerated() {
      if let current = quote {
        if byte == current { quote = nil }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
      case UInt8(ascii: "("):
        let cost = bytes[index...].starts(with: select) ? 10 : 1
        open.append(cost)
        depth += cost
        highest = max(highest, depth)
      case UInt8(ascii: ")"): depth -= open.popLast() ?? 0
      default: continue
      }
    }
    return highest <= 60
  }
}
