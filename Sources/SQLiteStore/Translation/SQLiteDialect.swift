import QueryEvaluation
import SQLTranslation
import StoreProtocol
import StructuredText

struct SQLiteDialect: SQLDialect {
  /// The maximum length of lists with a parameter per value, so that the planner knows their
  /// length.
  private static let shortList = 8

  /// The maximum length of a list of values that JSON cannot represent exactly.
  private static let longestList = 500

  private static let negativeZero = SQLValue(exactly: -0.0)

  let isSame = "IS"
  let isDistinct = "IS NOT"
  let ascending = ""
  let descending = " DESC"
  let swiftCollation = " COLLATE \(SwiftText.collation)"
  let queryAlias = ""
  let findsNumbersWithCare = false
  let computesRealNumbers = true
  var functions: (any SQLFunctionSet)? { SQLiteFunctions() }

  func needsCare(_ type: AttributeType) -> Bool { type.hasInexactValues }

  func null(_ content: ColumnMap.Content) -> String { "NULL" }

  func operand(_ value: StoreValue, _ type: AttributeType) -> Operand? {
    switch (type, value) {
    case (.bool, .bool(let flag)): .ordered(.integer(flag ? 1 : 0))
    case (.uint64, .unsigned(let number)): .ordered(SQLValue(number).bound)
    case (_, .integer(let number)) where type.isInteger: .ordered(.integer(number))
    case (.double, .double(let number)) where !number.isNaN,
      (.float, .double(let number)) where !number.isNaN:
      .ordered(.real(number))
    case (.date, .date(let date)) where !date.timeIntervalSinceReferenceDate.isNaN:
      .ordered(.real(date.timeIntervalSinceReferenceDate))
    case (.string, .string(let text)), (.url, .string(let text)):
      .ordered(.text(ExactText.composed(text)))
    case (.uuid, .uuid(let uuid)): .ordered(.text(uuid.uuidString))
    case (.data, .data(let data)): .ordered(.blob(data))
    case (.decimal, .decimal(let number)) where !number.isNaN:
      .equatable(.text(DecimalText.encoded(number)))
    default: nil
    }
  }

  /// Returns the test for columns whose blobs follow all numbers.
  ///
  /// NaN passes no comparison, and -0.0 equals 0.0.
  func carefulTest(_ test: ColumnTest, _ column: SQLFragment) -> SQLFragment {
    guard case .real(let number) = test.operand else { return test.plain(column) }
    var condition = test.plain(column)
    if test.comparison == .greater || test.comparison == .greaterOrEqual {
      condition = "\(condition) AND typeof(\(column)) <> 'blob'"
    }
    guard test.comparison.holds(.double(0), .double(number)) else { return condition }
    return "(\(condition)) OR \(column) = \(bind: Self.negativeZero)"
  }

  /// Returns `nil`: row functions test strings.
  func textTest(
    _ test: QueryExpression.TextTest,
    _ column: SQLFragment,
    _ part: String
  ) -> SQLFragment? { nil }

  func integer(_ value: SQLFragment) -> SQLFragment { value }

  func isInteger(_ result: SQLFragment) -> SQLFragment {
    // If 64 bits overflow, SQLite continues with a real number.
    "typeof(\(result)) = 'integer'"
  }

  func order(
    _ value: SQLFragment,
    _ content: ColumnMap.Content,
    _ exactness: Exactness
  ) -> SQLFragment? {
    switch content {
    case .value(.decimal), .value(.codable), .order: return nil
    case .value, .reference: break
    }
    switch exactness {
    case .exact: return value
    case .byCollation: return "\(value)\(swiftCollation)"
    // Blobs among the numbers: -0.0 is 0.0, and all NaN follow the numbers, as equals.
    case .withCare:
      let normalized: SQLFragment =
        "CASE WHEN \(value) = \(bind: Self.negativeZero) THEN 0.0 ELSE x'FF' END"
      return "CASE typeof(\(value)) WHEN 'blob' THEN \(normalized) ELSE \(value) END"
    }
  }

  /// Short lists have a parameter per value; long ones are a JSON list.
  func isAmong(_ values: [BoundValue]) -> SQLFragment? {
    if values.count > Self.shortList, let text = values.exactJSON {
      return "IN (SELECT value FROM json_each(\(bind: .text(text))))"
    }
    guard values.count <= Self.longestList else { return nil }
    return "IN (\(.list(values.map { "\(bind: $0)" })))"
  }

  func memberPosition(_ list: SQLFragment, _ key: SQLFragment) -> SQLFragment {
    "\(MemberPositions.name)(\(list), \(key))"
  }
}

extension [BoundValue] {
  /// The list as JSON that SQLite reads back exactly, or `nil` if a value may not survive: reals,
  /// bytes, strings with U+0000.
  fileprivate var exactJSON: String? {
    let list = mapUnlessNil { value -> StoreValue? in
      switch value {
      case .integer(let number): .integer(number)
      case .text(let text): text.utf8.contains(0) ? nil : .string(text)
      default: nil
      }
    }
    return list.flatMap { try? JSONText.encoded(.array($0)) }
  }
}

/// The functions that the store's statements call.
private struct SQLiteFunctions: SQLFunctionSet {
  func make(
    _ expression: QueryExpression,
    isTest: Bool,
    _ leaves: [LeafContent],
    _ schema: StoreSchema,
    _ accumulator: AggregateAccumulator?
  ) throws -> any AnyObject & Sendable {
    try RowFunction(
      expression,
      isTest: isTest,
      leaves: leaves,
      schema: schema,
      accumulator: accumulator
    )
  }

  func fileValue(
    _ column: SQLFragment,
    _ type: AttributeType,
    entity: String,
    property: String
  ) -> SQLFragment {
    FileFunction.call(column, as: type, entity: entity, property: property)
  }

  func search(
    _ text: QueryExpression,
    _ search: TextSearch,
    _ side: ConditionTranslator.Side,
    _ translator: ConditionTranslator
  ) throws -> SQLFragment? {
    try translator.indexedSearch(text, search, side)
  }
}

extension Catalog: TranslationCatalog {
  var schema: StoreSchema { map.schema }

  func entity(named name: String) throws -> EntityMap { try map.entity(named: name) }
}
