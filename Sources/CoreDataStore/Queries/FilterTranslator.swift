import CoreDataFiles
import QueryEvaluation
import StoreProtocol

/// Translates filters and orders over plain columns to SQL.
///
/// A condition holds for every row that passes the filter. If it is exact, no other row satisfies
/// it. Otherwise the evaluator filters the remaining rows.
struct FilterTranslator {
  /// The SQL for a part of a filter.
  struct Part {
    let condition: SQLCondition
    let isExact: Bool
  }

  let plan: RowPlan
  let entity: String
  let content: SourceContent

  /// The maximum number of constants in a list.
  private static let longestList = 500

  /// Translates a filter.
  ///
  /// - Parameters:
  ///   - filter: The filter.
  ///   - isConjunct: Whether the row is no match if this part does not hold.
  /// - Returns: The condition, or `nil` if it would be true for every row.
  func part(_ filter: QueryExpression, isConjunct: Bool = true) -> Part? {
    switch filter {
    case .and(let parts): conjunction(parts, isConjunct)
    case .or(let parts): disjunction(parts)
    case .not(let part): negation(part)
    case .compare(let comparison, let operand, .constant(let value)):
      compare(comparison, operand, value, isConjunct)
    case .compare(let comparison, .constant(let value), let operand):
      compare(comparison.flipped, operand, value, isConjunct)
    case .contains(.constant(let list), let operand): contains(list, operand, isConjunct)
    case .isInRange(let operand, .constant(let lower), .constant(let upper), let closed):
      isInRange(operand, lower, upper, closed, isConjunct)
    case .isKind(.element(0), let name): isKind(name)
    case .property(.element(0), let name): boolean(name)
    default: nil
    }
  }

  /// Translates an order, in which keys break ties.
  ///
  /// - Returns: The terms, or `nil` if SQLite orders the values differently.
  func order(_ terms: [QuerySort]) -> SQLCondition? {
    var result = SQLCondition(sql: "")
    for term in terms {
      guard let operand = operand(term.value) else { return nil }
      if case .key = operand.kind, term.value != .element(0) { return nil }
      result.sql += operand.sql + (term.isReversed ? " DESC, " : ", ")
      result.values += operand.values
    }
    result.sql += "t.Z_PK"
    return result
  }

  private func conjunction(_ parts: [QueryExpression], _ isConjunct: Bool) -> Part? {
    let translated = parts.map { part($0, isConjunct: isConjunct) }
    guard let condition = SQLCondition.all(translated.compactMap { $0?.condition }) else {
      return nil
    }
    return Part(condition: condition, isExact: translated.allSatisfy { $0?.isExact ?? false })
  }

  private func disjunction(_ parts: [QueryExpression]) -> Part? {
    let translated = parts.compactMap { part($0, isConjunct: false) }
    guard translated.count == parts.count else { return nil }
    return Part(
      condition: .any(translated.map(\.condition)),
      isExact: translated.allSatisfy(\.isExact)
    )
  }

  private func negation(_ filter: QueryExpression) -> Part? {
    guard let part = part(filter, isConjunct: false), part.isExact else { return nil }
    return Part(condition: part.condition.negated, isExact: true)
  }

  private func compare(
    _ comparison: QueryExpression.Comparison,
    _ expression: QueryExpression,
    _ value: StoreValue,
    _ isConjunct: Bool
  ) -> Part? {
    guard let operand = operand(expression),
      let condition = condition(comparison, operand, value)
    else { return nil }
    return Part(condition: condition, isExact: isConjunct || !operand.isUnwrapped)
  }

  private func condition(
    _ comparison: QueryExpression.Comparison,
    _ operand: SQLOperand,
    _ value: StoreValue
  ) -> SQLCondition? {
    if case .key(let rank) = operand.kind {
      return compareKey(comparison, operand, value, rank: rank)
    }
    if value.isNull, !operand.isUnwrapped, comparison == .equal || comparison == .notEqual {
      let word = comparison == .equal ? "IS NULL" : "IS NOT NULL"
      return SQLCondition(sql: "\(operand.sql) \(word)", values: operand.values)
    }
    guard let cell = operand.cell(value) else { return nil }
    // nil differs from every value, and has no order.
    let isTrueForNull = comparison == .notEqual && !operand.isUnwrapped
    return SQLCondition(
      sql: "ifnull(\(operand.sql) \(comparison.symbol) ?, \(isTrueForNull ? 1 : 0))",
      values: operand.values + [cell]
    )
  }

  private func compareKey(
    _ comparison: QueryExpression.Comparison,
    _ operand: SQLOperand,
    _ value: StoreValue,
    rank: Int64
  ) -> SQLCondition? {
    guard comparison == .equal || comparison == .notEqual, !operand.isUnwrapped else { return nil }
    let equal: SQLCondition
    switch value {
    case .null: equal = SQLCondition(sql: "\(operand.sql) IS NULL")
    case .identifier(let identifier):
      // Keys of other tables are equal to none.
      let key = content.tableKey(identifier, rank: rank).map(SourceCell.integer)
      equal = key.map { SQLCondition(sql: "\(operand.sql) IS ?", values: [$0]) } ?? .any([])
    default: return nil
    }
    return comparison == .equal ? equal : equal.negated
  }

  private func contains(
    _ list: StoreValue,
    _ expression: QueryExpression,
    _ isConjunct: Bool
  ) -> Part? {
    guard let operand = operand(expression) else { return nil }
    if case .identifiers(let identifiers) = list, case .key(let rank) = operand.kind {
      // Keys are integers, which need no parameters.
      let keys = SourceReader.list(identifiers.compactMap { content.tableKey($0, rank: rank) })
      let condition = SQLCondition(sql: "ifnull(\(operand.sql) IN (\(keys)), 0)")
      return Part(condition: condition, isExact: isConjunct || !operand.isUnwrapped)
    }
    guard case .array(let elements) = list, elements.count <= Self.longestList else { return nil }
    let parts = elements.map { condition(.equal, operand, $0) }
    let conditions = parts.compactMap(\.self)
    guard conditions.count == parts.count else { return nil }
    return Part(condition: .any(conditions), isExact: isConjunct || !operand.isUnwrapped)
  }

  private func isInRange(
    _ expression: QueryExpression,
    _ lower: StoreValue,
    _ upper: StoreValue,
    _ closed: Bool,
    _ isConjunct: Bool
  ) -> Part? {
    guard let operand = operand(expression),
      QueryExpression.Comparison.lessOrEqual.holds(lower, upper),
      let first = condition(.greaterOrEqual, operand, lower),
      let second = condition(closed ? .lessOrEqual : .less, operand, upper)
    else { return nil }
    return SQLCondition.all([first, second])
      .map { Part(condition: $0, isExact: isConjunct || !operand.isUnwrapped) }
  }

  private func isKind(_ name: String) -> Part {
    let numbers = plan.entities.filter {
      content.schema.isEntity($0.value.entity.name, kindOf: name)
    }
    let list = SourceReader.list(numbers.keys.sorted())
    return Part(condition: SQLCondition(sql: "t.Z_ENT IN (\(list))"), isExact: true)
  }

  /// Translates a Boolean attribute; an optional one is not a condition.
  private func boolean(_ name: String) -> Part? {
    guard let operand = column(name), case .bool = operand.kind,
      plan.source(of: name, in: entity)?.property.isOptional == false
    else { return nil }
    return Part(condition: SQLCondition(sql: "ifnull(\(operand.sql), 0)"), isExact: true)
  }

  private func operand(_ expression: QueryExpression) -> SQLOperand? {
    switch expression {
    case .element(0): SQLOperand(column: "t.Z_PK", kind: .key(rank: plan.rank))
    case .property(.element(0), let name): column(name)
    case .unwrap(let inner):
      operand(inner).map { operand in
        var operand = operand
        operand.isUnwrapped = true
        return operand
      }
    case .coalesce(let inner, .constant(let value)): operand(inner)?.coalesced(value)
    default: nil
    }
  }

  private func column(_ name: String) -> SQLOperand? {
    guard let (property, source) = plan.source(of: name, in: entity) else { return nil }
    switch source {
    case .attribute(let attribute, let columns):
      guard let type = property.attributeType, let (stored, column) = single(attribute, columns),
        let kind = SQLOperand.kind(of: type, stored: stored)
      else { return nil }
      return SQLOperand(column: "t.\(SourceReader.quoted(column))", kind: kind)
    case .reference(let key, _):
      guard let destination = property.relationship?.destination,
        let rank = content.layout.entities[destination]?.rank
      else { return nil }
      return SQLOperand(column: plan.expression(at: key), kind: .key(rank: rank))
    case .list, .uri, .absent: return nil
    }
  }

  /// Returns the single column of an attribute, which may be that of an enumeration's raw value.
  private func single(
    _ attribute: ManagedModel.Attribute,
    _ columns: SourceLayout.AttributeColumns
  ) -> (ManagedModel.AttributeType, String)? {
    switch columns {
    case .column(let name): (attribute.type, name)
    case .elements(let elements):
      if let raw = attribute.rawValue, let element = elements.first, elements.count == 1,
        case .column(let name) = element.1
      {
        (raw.type, name)
      } else {
        nil
      }
    case .none: nil
    }
  }
}
