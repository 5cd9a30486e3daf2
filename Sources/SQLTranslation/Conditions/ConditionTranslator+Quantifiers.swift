import StoreProtocol

/// Conditions on related objects: some, every, and whether they contain an object.
extension ConditionTranslator {
  package func quantified(
    _ quantifier: QueryExpression.Quantifier,
    _ collection: QueryExpression,
    _ variable: Int,
    _ test: QueryExpression,
    _ side: Side
  ) throws -> SQLFragment? {
    guard let members = try members(collection) else { return nil }
    let inner = binding(variable, to: .object(members.element))
    // The condition that decides: one that holds for `some`, one that fails for `every`.
    let decisive: Side = quantifier == .some ? .holds : .fails
    guard let decides = try inner.condition(test, decisive) else { return nil }
    let isDecided = (quantifier == .some) == (side == .holds)
    guard inner.conditionMayTrap(test) else {
      let word = isDecided ? "EXISTS" : "NOT EXISTS"
      let condition = SQLFragment.all(members.conditions + [decides])
      return .all(members.demands + ["\(word) (SELECT 1 FROM \(members.rows) WHERE \(condition))"])
    }
    guard let passes = try inner.condition(test, decisive.opposite) else { return nil }
    let verdict = firstVerdict(members, decides, passes)
    return .all(members.demands + [isDecided ? "\(verdict) = 1" : "\(verdict) IS NULL"])
  }

  /// Returns 1 if the first element in order that does not pass decides, 0 if it traps, or null if
  /// all pass.
  private func firstVerdict(
    _ members: MembersTerm,
    _ decides: SQLFragment,
    _ passes: SQLFragment
  ) -> SQLFragment {
    let verdict: SQLFragment = "CASE WHEN \(decides) THEN 1 ELSE 0 END"
    let condition = SQLFragment.all(members.conditions + ["(\(passes)) IS NOT TRUE"])
    return "(\(members.query(for: verdict, in: members.rows, where: condition, dialect)) LIMIT 1)"
  }

  /// Returns the test whether an object is among the related objects.
  package func contained(
    _ value: QueryExpression,
    inMembers collection: QueryExpression,
    _ side: Side
  ) throws -> SQLFragment? {
    guard let members = try members(collection) else { return nil }
    if case .constant(let constant) = value { return contained(constant, in: members, side) }
    guard let object = try term(value), case .reference = object.content else { return nil }
    let condition = SQLFragment.all(members.conditions + ["\(members.key) = \(object.value)"])
    let word = side == .holds ? "EXISTS" : "NOT EXISTS"
    return .all(
      members.demands + object.demands
        + ["\(word) (SELECT 1 FROM \(members.source) WHERE \(condition))"]
    )
  }

  /// Returns the test whether a constant object is among the related objects, by its owners.
  private func contained(
    _ value: StoreValue,
    in members: MembersTerm,
    _ side: Side
  ) -> SQLFragment? {
    let key: Int64?
    switch value {
    case .identifier(let identifier): key = identifier.integerKey
    case .null: key = nil
    default: return nil
    }
    guard let key else { return side == .holds ? .never : .all(members.demands) }
    // The first condition ties the elements to their owner, which the list of owners replaces. A
    // null owner in the list would make NOT IN null.
    let condition = SQLFragment.all(
      Array(members.conditions.dropFirst()) + [
        "\(members.key) = \(bind: .integer(key))", "\(members.owner) IS NOT NULL",
      ]
    )
    let word = side == .holds ? "IN" : "NOT IN"
    let owners: SQLFragment = "SELECT \(members.owner) FROM \(members.source) WHERE \(condition)"
    return .all(members.demands + ["\(members.ownerKey) \(word) (\(owners))"])
  }
}
