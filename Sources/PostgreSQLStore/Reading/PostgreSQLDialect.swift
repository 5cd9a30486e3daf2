import Foundation
import PostgreSQLClient
import SQLTranslation
import StoreProtocol

/// The dialect of PostgreSQL.
///
/// Strings are stored in composed form with the collation "C" and compare exactly. NaN equals
/// itself and is greater than all other numbers here. Therefore columns of numbers that may hold it
/// compare with care.
struct PostgreSQLDialect: SQLDialect {
  let isSame = "IS NOT DISTINCT FROM"
  let isDistinct = "IS DISTINCT FROM"
  let ascending = " NULLS FIRST"
  let descending = " DESC NULLS LAST"
  let swiftCollation = ""
  let queryAlias = " AS q"
  let findsNumbersWithCare = true
  let computesRealNumbers = false
  var functions: (any SQLFunctionSet)? { nil }

  func needsCare(_ type: AttributeType) -> Bool {
    switch type {
    case .float, .double, .date, .decimal: true
    default: false
    }
  }

  func null(_ content: ColumnMap.Content) -> String {
    let type =
      switch content {
      case .value(let type): ColumnKind(type).type
      case .reference: "int8"
      case .order: "int8[]"
      }
    // A cast takes no collation, which stands behind it.
    return type == ColumnKind.text.type
      ? "(CAST(NULL AS text) COLLATE \"C\")" : "CAST(NULL AS \(type))"
  }

  func operand(_ value: StoreValue, _ type: AttributeType) -> Operand? {
    switch (type, value) {
    case (.bool, .bool(let flag)): .ordered(.bool(flag))
    case (.uint64, .unsigned(let number)): .ordered(.decimal(Decimal(number)))
    case (.uint64, .integer(let number)): .ordered(.decimal(Decimal(number)))
    case (_, .integer(let number)) where type.isInteger: .ordered(.integer(number))
    case (.double, .double(let number)) where !number.isNaN,
      (.float, .double(let number)) where !number.isNaN:
      .ordered(.real(number))
    case (.date, .date(let date)) where !date.timeIntervalSinceReferenceDate.isNaN:
      .ordered(.real(date.timeIntervalSinceReferenceDate))
    case (.decimal, .decimal(let number)) where !number.isNaN: .ordered(.decimal(number))
    case (.string, .string(let text)), (.url, .string(let text)):
      .ordered(.text(TextEscape.escaped(ExactText.composed(text))))
    case (.uuid, .uuid(let uuid)): .ordered(.uuid(uuid))
    case (.data, .data(let data)): .ordered(.blob(data))
    default: nil
    }
  }

  /// Returns a test that a floating-point NaN never passes, and for which a decimal NaN is less
  /// than all others.
  func carefulTest(_ test: ColumnTest, _ column: SQLFragment) -> SQLFragment {
    let plain = test.plain(column)
    switch (test.comparison, test.operand) {
    case (.greater, _), (.greaterOrEqual, _): return "\(plain) AND \(column) < 'NaN'"
    case (.less, .decimal), (.lessOrEqual, .decimal): return "(\(plain)) OR \(column) = 'NaN'"
    default: return plain
    }
  }

  func textTest(
    _ test: QueryExpression.TextTest,
    _ column: SQLFragment,
    _ part: String
  ) -> SQLFragment? {
    guard let pattern = TextPattern(test, ExactText.composed(part)) else { return nil }
    return .all([
      pattern.isPrefix
        ? column.isInRange(ofPrefix: pattern.stored)
        // A quoted number is not taken for a Boolean.
        : "strpos(\(column), \(bind: .text(pattern.stored))) > '0'",
      "\(column) ~ \(bind: .text(pattern.expression))",
    ])
  }

  func integer(_ value: SQLFragment) -> SQLFragment { "CAST(\(value) AS numeric)" }

  func isInteger(_ result: SQLFragment) -> SQLFragment { .always }

  func order(
    _ value: SQLFragment,
    _ content: ColumnMap.Content,
    _ exactness: Exactness
  ) -> SQLFragment? {
    switch content {
    case .value(.codable), .order: nil
    case .value(.decimal):
      "CASE WHEN \(value) = 'NaN' THEN CAST('-Infinity' AS numeric) ELSE \(value) END"
    case .value, .reference: value
    }
  }

  func isAmong(_ values: [BoundValue]) -> SQLFragment? {
    // Columns of JSON have no equality.
    guard let first = values.first, let last = values.last else { return "IS NULL AND FALSE" }
    // The server keeps the plan for one value, but plans anew for each array.
    if values.count == 1 { return "= \(bind: first)" }
    // A range of an index is read faster than its keys one by one.
    if values.count > 2, values.areConsecutive {
      return "BETWEEN \(bind: first) AND \(bind: last)"
    }
    return "= ANY (\(bind: .list(values)))"
  }

  func memberPosition(_ list: SQLFragment, _ key: SQLFragment) -> SQLFragment {
    "array_position(\(list), \(key))"
  }
}

extension [BoundValue] {
  /// Whether each value is the integer after the one before.
  fileprivate var areConsecutive: Bool {
    guard case .integer(var last)? = first else { return false }
    return dropFirst().allSatisfy { value in
      guard case .integer(let next) = value, next == last &+ 1, next > last else { return false }
      last = next
      return true
    }
  }
}

extension SQLFragment {
  /// The statement that consists of the fragment.
  var statement: Statement {
    Statement(numbered, parameters.compactMap(\.parameter), isPrepared: true)
  }

  /// The statement without parameters, or `nil` if it needs them.
  ///
  /// Only integers are ever part of the text.
  var statementWithoutParameters: Statement? {
    let literals = parameters.compactMap(\.literal)
    guard literals.count == parameters.count else { return nil }
    return Statement(rendered { literals[$0] })
  }
}

extension SQLParameter {
  /// The value as a parameter of PostgreSQL; fragments of its dialect have no functions.
  fileprivate var parameter: Parameter? {
    if case .value(let value) = self { value.parameter } else { nil }
  }

  /// The value in SQL if it is an integer or a list of integers, `nil` otherwise.
  fileprivate var literal: String? {
    switch self {
    case .value(.integer(let number)): return "'\(number)'::int8"
    case .value(.list(let values)):
      let numbers = values.compactMap { if case .integer(let number) = $0 { number } else { nil } }
      guard numbers.count == values.count else { return nil }
      return "'{\(numbers.map(String.init).joined(separator: ","))}'::int8[]"
    default: return nil
    }
  }
}

extension BoundValue {
  fileprivate var parameter: Parameter {
    switch self {
    case .null: Parameter(nil as String?)
    case .bool(let flag): Parameter(flag)
    case .integer(let number): Parameter(number)
    case .real(let number): Parameter(number)
    case .decimal(let number): Parameter(number)
    case .text(let text): Parameter(text)
    case .blob(let data): Parameter(data)
    case .uuid(let uuid): Parameter(uuid)
    case .list(let values): Self.list(values)
    }
  }

  /// Returns an array of values of one kind, which the first value determines.
  private static func list(_ values: [BoundValue]) -> Parameter {
    func array<Value: PostgreSQLValue>(_ value: (BoundValue) -> Value?) -> Parameter {
      Parameter(array: values.map(value))
    }
    return switch values.first {
    case .bool: array { if case .bool(let flag) = $0 { flag } else { nil } }
    case .integer: array { if case .integer(let number) = $0 { number } else { nil } }
    case .real: array { if case .real(let number) = $0 { number } else { nil } }
    case .decimal: array { if case .decimal(let number) = $0 { number } else { nil } }
    case .blob: array { if case .blob(let data) = $0 { data } else { nil } }
    case .uuid: array { if case .uuid(let uuid) = $0 { uuid } else { nil } }
    case .text, .null, .list, nil: array { if case .text(let text) = $0 { text } else { nil } }
    }
  }
}
