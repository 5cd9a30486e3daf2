import SQLTranslation
import StoreProtocol

/// The values by which a statement groups rows, and the conditions under which its result differs
/// from Swift's.
struct GroupTerms {
  var values: GroupTranslator
  private(set) var inexactConditions: [SQLFragment] = []
  private let map: StoreMap

  init(_ plan: QueryPlan, _ map: StoreMap) {
    values = GroupTranslator(plan.translator, canJoin: plan.namesTables)
    self.map = map
  }

  /// Returns a key and the way in which it is read, or `nil` if SQL does not compare it as Swift
  /// does.
  mutating func key(
    _ expression: QueryExpression
  ) throws -> (text: SQLFragment, kind: ColumnKind)? {
    guard let term = try values.term(expression) else { return nil }
    switch term.content {
    case .order, .value(.codable): return nil
    case .value(let type):
      return addInexactConditions(of: term, type) ? (term.value, ColumnKind(type)) : nil
    case .reference(_, let name):
      // A reference to a row of several possible entities is not only its key.
      let entity = try map.entity(named: name)
      guard entity.table.entityColumn == nil else { return nil }
      return (term.value, .reference(entity.entity))
    }
  }

  /// Adds the condition that a value is one of several that are equal in SQL.
  ///
  /// - Returns: Whether there is such a condition, or none is necessary.
  mutating func addInexactConditions(of term: SQLTerm, _ type: AttributeType) -> Bool {
    let value = term.value
    switch type {
    case .codable: return false
    case .float, .double, .date:
      inexactConditions.append("\(value) = 'NaN'")
      inexactConditions.append("float8send(\(value)) = '\\x8000000000000000'")
    case .decimal: inexactConditions.append("\(value) = 'NaN'")
    case .string, .url:
      guard term.sources.count == 1, let column = term.sources.first?.column.sql,
        term.text.text.hasSuffix("." + column)
      else { return false }
      let row = String(term.text.text.dropLast(column.count))
      inexactConditions.append("\(row)_spelling IS NOT NULL")
    default: break
    }
    return true
  }
}
