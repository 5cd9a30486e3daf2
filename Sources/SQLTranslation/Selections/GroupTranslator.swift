import StoreProtocol

/// Translates the values by which a selection groups rows, and those that its columns aggregate.
package struct GroupTranslator {
  /// The translator of the query for the rows.
  package let translator: ConditionTranslator
  private var joins: LookupJoins?

  /// Creates a translator.
  ///
  /// - Parameters:
  ///   - translator: The translator of the query for the rows.
  ///   - canJoin: Whether table names qualify all columns of the statement, so that it can read
  ///     other tables too.
  package init(_ translator: ConditionTranslator, canJoin: Bool) {
    self.translator = translator
    joins = canJoin ? LookupJoins(translator.state) : nil
  }

  /// The joins of the values so far, which follow the statement's own table.
  package var clauses: String { joins?.clauses ?? "" }

  /// Returns a value that is null for `nil` and where Swift would trap, or `nil` if SQL cannot
  /// express it.
  package mutating func term(_ expression: QueryExpression) throws -> SQLTerm? {
    guard !expression.isDeeper(than: QueryExpression.maximumDepth),
      let found = try translator.term(expression)
    else { return nil }
    var term = joins?.joining(found) ?? found
    term.guards += term.demands
    term.demands = []
    return term
  }
}
