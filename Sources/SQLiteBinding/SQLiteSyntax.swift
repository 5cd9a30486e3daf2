import SQLTranslation
import StoreProtocol
import StructuredText

/// The parts of a dialect that all files of SQLite share.
package protocol SQLiteSyntax: SQLDialect {}

/// The maximum length of lists with a parameter per value, so that the planner knows their length.
private let shortList = 8

/// The maximum length of a list of values that JSON cannot represent exactly.
private let longestList = 500

extension SQLiteSyntax {
  package var isSame: String { "IS" }
  package var isDistinct: String { "IS NOT" }
  package var ascending: String { "" }
  package var descending: String { " DESC" }
  package var swiftCollation: String { " COLLATE \(SwiftText.collation)" }
  package var queryAlias: String { "" }

  package func null(_ content: ColumnMap.Content) -> String { "NULL" }

  /// Returns a constant of a type that is stored in the same form in all files.
  package func plainOperand(_ value: StoreValue, _ type: AttributeType) -> Operand? {
    switch (type, value) {
    case (.bool, .bool(let flag)): .ordered(.integer(flag ? 1 : 0))
    case (_, .integer(let number)) where type.isInteger: .ordered(.integer(number))
    case (.double, .double(let number)) where !number.isNaN,
      (.float, .double(let number)) where !number.isNaN:
      .ordered(.real(number))
    case (.date, .date(let date)) where !date.timeIntervalSinceReferenceDate.isNaN:
      .ordered(.real(date.timeIntervalSinceReferenceDate))
    case (.string, .string(let text)), (.url, .string(let text)):
      .ordered(.text(ExactText.composed(text)))
    case (.data, .data(let data)): .ordered(.blob(data))
    default: nil
    }
  }

  /// Returns `nil`: the databases have no test with Swift's meaning.
  package func textTest(
    _ test: QueryExpression.TextTest,
    _ column: SQLFragment,
    _ part: String
  ) -> SQLFragment? { nil }

  package func isInteger(_ result: SQLFragment) -> SQLFragment {
    // If 64 bits overflow, SQLite continues with a real number.
    "typeof(\(result)) = 'integer'"
  }

  /// Short lists have a parameter per value; long ones are a JSON list.
  package func isAmong(_ values: [BoundValue]) -> SQLFragment? {
    if values.count > shortList, let text = values.exactJSON {
      return "IN (SELECT value FROM json_each(\(bind: .text(text))))"
    }
    guard values.count <= longestList else { return nil }
    return "IN (\(.list(values.map { "\(bind: $0)" })))"
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
