import Foundation
import StoreProtocol

/// Comparisons of a value of the row with one that is known, or with another of the row.
extension ConditionTranslator {
  func compared(
    _ comparison: QueryExpression.Comparison,
    _ first: QueryExpression,
    _ second: QueryExpression,
    isGuarded: Bool
  ) throws -> SQLFragment? {
    switch (first, second) {
    case (_, .constant(let value)): try compared(comparison, first, with: value, isGuarded)
    case (.constant(let value), _):
      try compared(comparison.mirrored, second, with: value, isGuarded)
    default: try compared(comparison, terms: first, second, isGuarded)
    }
  }

  /// Compares two values of the row.
  private func compared(
    _ comparison: QueryExpression.Comparison,
    terms first: QueryExpression,
    _ second: QueryExpression,
    _ isGuarded: Bool
  ) throws -> SQLFragment? {
    guard let left = term(first), let right = term(second),
      left.content.comparesInSQL(comparison, with: right.content),
      try isExact(left), try isExact(right)
    else { return nil }
    let values = left.values + right.values
    switch comparison {
    case .equal: return SQLFragment("\(left.text) IS \(right.text)", values)
    case .notEqual: return SQLFragment("\(left.text) IS NOT \(right.text)", values)
    default:
      let text = "\(left.text) \(comparison.sqlOperator) \(right.text)"
      guard isGuarded else { return SQLFragment(text, values) }
      return SQLFragment("coalesce(\(text), 0)", values)
    }
  }

  private func compared(
    _ comparison: QueryExpression.Comparison,
    _ expression: QueryExpression,
    with value: StoreValue,
    _ isGuarded: Bool
  ) throws -> SQLFragment? {
    if case .element(0) = expression { return comparedKey(comparison, with: value) }
    guard let term = term(expression) else { return nil }
    if value.isNull { return comparedNull(comparison, term) }
    guard let operand = Operand(value, for: term.content), try isExact(term) else { return nil }
    // An absent value is not equal to one that is there, so what the tables behind relationships
    // are asked must not be that.
    guard comparison != .notEqual else {
      return operand.compared(comparison, term.text, isGuarded: isGuarded, values: term.values)
    }
    return condition(on: term, isGuarded: isGuarded) { column, isGuarded in
      operand.compared(comparison, column, isGuarded: isGuarded, values: term.values)
    }
  }

  /// A value lies in a range, whose upper end belongs to it or not; nil lies in none.
  func ranged(
    _ value: QueryExpression,
    _ lower: QueryExpression,
    _ upper: QueryExpression,
    closed: Bool,
    isGuarded: Bool
  ) throws -> SQLFragment? {
    // With the ends upside down the row is no match, whatever stands around the range.
    guard case .constant(let first) = lower, case .constant(let last) = upper,
      !first.isNull, !last.isNull, StoreValue.sortOrder(first, last) <= 0
    else { return nil }
    guard let above = try compared(.greaterOrEqual, value, lower, isGuarded: isGuarded),
      let below = try compared(
        closed ? .lessOrEqual : .less,
        value,
        upper,
        isGuarded: isGuarded
      )
    else { return nil }
    return .joined([above, below], by: "AND")
  }

  private func comparedNull(
    _ comparison: QueryExpression.Comparison,
    _ term: SQLTerm
  ) -> SQLFragment {
    switch comparison {
    case .equal: SQLFragment("\(term.text) IS NULL", term.values)
    case .notEqual: SQLFragment("\(term.text) IS NOT NULL", term.values)
    // Nothing is less or greater than nil.
    default: .never
    }
  }

  /// The row itself compared with an object: keys are unique in the store.
  private func comparedKey(
    _ comparison: QueryExpression.Comparison,
    with value: StoreValue
  ) -> SQLFragment? {
    let operand: Operand? =
      value.isNull ? .foreign : Operand(value, for: .reference(table: "", entity: ""))
    guard comparison == .equal || comparison == .notEqual else { return nil }
    return operand?.compared(comparison, map.table.key, isGuarded: false)
  }
}

/// A known value as SQL compares it with the values of a column.
enum Operand {
  /// Compared by SQLite's operators, order included.
  case ordered(SQLValue)

  /// Compared for equality alone: the order of the stored form means nothing.
  case equatable(SQLValue)

  /// A value that no row can have.
  case foreign

  /// Says a value for a column, or is nil where SQL cannot compare the two as Swift does.
  init?(_ value: StoreValue, for content: ColumnMap.Content) {
    switch content {
    case .reference: self.init(reference: value)
    case .value(let type): self.init(value, as: type)
    case .order: return nil
    }
  }

  private init?(reference value: StoreValue) {
    guard case .identifier(let identifier) = value else { return nil }
    self = identifier.integerKey.map { .equatable(.integer($0)) } ?? .foreign
  }

  private init?(_ value: StoreValue, as type: AttributeType) {
    switch (type, value) {
    case (.bool, .bool(let truth)): self = .equatable(.integer(truth ? 1 : 0))
    case (.uint64, .unsigned(let number)): self = .ordered(SQLValue(number))
    case (_, .integer(let number)) where type.isInteger: self = .ordered(.integer(number))
    case (.double, .double(let number)) where !number.isNaN,
      (.float, .double(let number)) where !number.isNaN:
      self = .ordered(.real(number))
    case (.date, .date(let date)) where !date.timeIntervalSinceReferenceDate.isNaN:
      self = .ordered(.real(date.timeIntervalSinceReferenceDate))
    case (.string, .string(let text)), (.url, .string(let text)):
      self = .ordered(.text(ExactText.composed(text)))
    case (.uuid, .uuid(let uuid)): self = .ordered(.text(uuid.uuidString))
    case (.data, .data(let data)): self = .ordered(.blob(data))
    case (.decimal, .decimal(let number)) where !number.isNaN:
      self = .equatable(.text(DecimalText.encoded(number)))
    default: return nil
    }
  }

  /// The value that SQL compares with, nil for a foreign one.
  var sqlValue: SQLValue? {
    switch self {
    case .ordered(let value), .equatable(let value): value
    case .foreign: nil
    }
  }

  /// The comparison of a column's values with this one.
  ///
  /// The values are those that the column's own text takes: one for each time that it stands
  /// there.
  func compared(
    _ comparison: QueryExpression.Comparison,
    _ column: String,
    isGuarded: Bool,
    values: [SQLValue] = []
  ) -> SQLFragment? {
    guard let value = sqlValue else {
      return comparison == .equal ? .never : comparison == .notEqual ? .always : nil
    }
    switch comparison {
    case .equal: return SQLFragment("\(column) IS ?", values + [value])
    case .notEqual: return SQLFragment("\(column) IS NOT ?", values + [value])
    default:
      guard case .ordered = self else { return nil }
      let text = "\(column) \(comparison.sqlOperator) ?"
      guard isGuarded else { return SQLFragment(text, values + [value]) }
      return SQLFragment("\(column) IS NOT NULL AND \(text)", values + values + [value])
    }
  }
}

extension QueryExpression.Comparison {
  /// The comparison that says the same with its sides exchanged.
  fileprivate var mirrored: Self {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }

  fileprivate var sqlOperator: String {
    switch self {
    case .equal: "="
    case .notEqual: "<>"
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    }
  }
}

extension ColumnMap.Content {
  /// Whether SQL compares values of two columns as Swift does.
  fileprivate func comparesInSQL(
    _ comparison: QueryExpression.Comparison,
    with other: ColumnMap.Content
  ) -> Bool {
    let isEquality = comparison == .equal || comparison == .notEqual
    switch (self, other) {
    case (.reference, .reference): return isEquality
    case (.value(.bool), .value(.bool)), (.value(.decimal), .value(.decimal)): return isEquality
    case (.value(.codable), _), (_, .value(.codable)): return false
    case (.value(let first), .value(let second)):
      return first == second || (first.isSigned && second.isSigned)
    default: return false
    }
  }
}

extension AttributeType {
  /// Whether all values are numbers to SQLite.
  fileprivate var isSigned: Bool { isInteger && self != .uint64 }
}
