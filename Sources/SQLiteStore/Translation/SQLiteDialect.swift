import QueryEvaluation
import SQLTranslation
import SQLiteBinding
import StoreProtocol
import StructuredText

struct SQLiteDialect: SQLiteSyntax {
  private static let negativeZero = SQLValue(exactly: -0.0)

  /// Whether values can be stored in files.
  var hasFiles = false
  let findsNumbersWithCare = false
  let computesRealNumbers = true
  var functions: (any SQLFunctionSet)? { SQLiteFunctions() }

  func needsCare(_ type: AttributeType) -> Bool { type.hasInexactValues }

  func operand(_ value: StoreValue, _ type: AttributeType) -> Operand? {
    switch (type, value) {
    case (.uint64, .unsigned(let number)): .ordered(SQLValue(number).bound)
    case (.uuid, .uuid(let uuid)): .ordered(.text(uuid.text))
    case (.decimal, .decimal(let number)) where !number.isNaN:
      .equatable(.text(DecimalText.encoded(number)))
    default: plainOperand(value, type)
    }
  }

  /// Returns the value of a column that may hold a reference to a file.
  func value(
    of column: ColumnMap,
    _ text: SQLFragment,
    in map: EntityMap,
    _ property: String
  ) -> SQLFragment? {
    guard hasFiles, map.table.fileColumns.contains(column), let type = column.type else {
      return nil
    }
    return FileFunction.call(text, as: type, entity: map.entity.name, property: property)
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

  func integer(_ value: SQLFragment) -> SQLFragment { value }

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

  func memberPosition(_ list: SQLFragment, _ key: SQLFragment) -> SQLFragment {
    "\(MemberPositions.name)(\(list), \(key))"
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
