/// A condition of SQL, 0 or 1 for every row and never NULL, with the values of its parameters.
struct SQLCondition: Hashable, Sendable {
  var sql: String
  var values: [SourceCell] = []

  /// Returns the conjunction of conditions, or `nil`, which is always true, if there are none.
  static func all(_ parts: [SQLCondition]) -> SQLCondition? { joined(parts, by: " AND ") }

  /// Returns the disjunction of conditions.
  static func any(_ parts: [SQLCondition]) -> SQLCondition {
    joined(parts, by: " OR ") ?? SQLCondition(sql: "0")
  }

  /// The negation of the condition.
  var negated: SQLCondition { SQLCondition(sql: "NOT (\(sql))", values: values) }

  private static func joined(_ parts: [SQLCondition], by word: String) -> SQLCondition? {
    guard parts.count > 1 else { return parts.first }
    return SQLCondition(
      sql: "(\(parts.map(\.sql).joined(separator: word)))",
      values: parts.flatMap(\.values)
    )
  }
}
