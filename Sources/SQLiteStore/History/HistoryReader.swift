import Foundation
import SQLTranslation
import SQLiteBinding
import StoreHelpers
import StoreProtocol
import StructuredText

/// Reads the history of a store; SQLite filters, sorts and limits it.
struct HistoryReader {
  let connection: Connection
  let storeIdentifier: String

  /// Returns the transactions that match a query.
  ///
  /// - Throws: ``DataStoreError/storeDamaged`` for a transaction that cannot be read.
  func transactions(_ query: StoreHistoryQuery) throws -> [StoreTransaction] {
    let sql = Self.statement(query, hasSaves: try HistoryTable.hasSaves(on: connection))
    return try connection.withStatement(sql) { statement in
      try statement.rows { try Self.record($0).transaction(storeIdentifier: storeIdentifier) }
    }
  }

  private static func record(_ row: Statement) throws -> HistoryRecord {
    let number = row.integer(at: 0)
    guard (1...StoreNumbers.greatest).contains(number), let bundle = row.text(at: 3),
      let process = row.text(at: 4), let text = row.text(at: 5), let groups = groups(text)
    else {
      throw DataStoreError(.storeDamaged, "transaction \(number) of the history cannot be read")
    }
    return HistoryRecord(
      number: number,
      save: row.identifier(at: 6),
      timestamp: Date(timeIntervalSinceReferenceDate: row.real(at: 1)),
      author: row.isNull(at: 2) ? nil : row.text(at: 2),
      origin: row.isNull(at: 7) ? .program : row.text(at: 7).map(SaveOrigin.init) ?? .program,
      bundle: bundle,
      process: process,
      groups: groups
    )
  }

  /// Returns the changes of a JSON string, or `nil` if the store did not write it.
  static func groups(_ text: String) -> [HistoryGroup]? {
    guard case .array(let values)? = try? JSONText.decoded(text) else { return nil }
    return HistoryGroup.groups(values)
  }

  static func statement(_ query: StoreHistoryQuery, hasSaves: Bool = true) -> SQLFragment {
    let saves = hasSaves ? "save, origin" : "NULL, NULL"
    var sql: SQLFragment =
      "SELECT number, timestamp, author, bundle, process, changes, \(saves) FROM \"_history\""
    if let filter = query.filter { sql = "\(sql) WHERE \(condition(filter))" }
    let order = query.order.map { term in
      (term.column == .number ? "number" : "timestamp") + (term.isReversed ? " DESC" : "")
    }
    sql = "\(sql) ORDER BY \((order + ["number"]).joined(separator: ", "))"
    guard let limit = query.limit else { return sql }
    return "\(sql) LIMIT \(bind: .integer(Int64(max(0, limit))))"
  }

  /// Returns a filter as a condition that is true or false and never null.
  static func condition(_ filter: StoreHistoryFilter) -> SQLFragment {
    switch filter {
    case .constant(let holds): holds ? .always : .never
    case .number(let comparison, let number):
      "number \(comparison.sqlOperator) \(bind: .integer(number))"
    case .numbers(let numbers):
      "number IN (SELECT value FROM json_each(\(bind: .text(KeyList.encoded(numbers.sorted())))))"
    case .timestamp(let comparison, let date): condition(comparison, date)
    case .text(let text, let list): condition(text, list)
    case .changes(let entities): condition(entities)
    case .not(let condition): "NOT (\(Self.condition(condition)))"
    case .all(let list): .all(list.map(condition))
    case .any(let list): .any(list.map(condition))
    }
  }

  private static func condition(
    _ comparison: QueryExpression.Comparison,
    _ date: Date
  ) -> SQLFragment {
    let seconds = date.timeIntervalSinceReferenceDate
    // SQLite would treat it as null; in Swift it is equal to no number, and less than none.
    guard !seconds.isNaN else { return comparison == .notEqual ? .always : .never }
    return "timestamp \(comparison.sqlOperator) \(bind: .real(seconds))"
  }

  private static func condition(
    _ text: StoreHistoryFilter.Text,
    _ list: Set<String?>
  ) -> SQLFragment {
    let column = text.column
    var conditions: [SQLFragment] = list.contains(nil) ? ["\(column) IS NULL"] : []
    for value in list.compactMap({ $0 }).sorted() {
      // `IS` is never null; the collation has Swift's equality.
      conditions.append("\(column) IS \(bind: .text(value)) COLLATE \(SwiftText.collation)")
    }
    return conditions.isEmpty ? .never : "(\(SQLFragment.any(conditions)))"
  }

  private static func condition(_ entities: Set<String>) -> SQLFragment {
    let names = StoreValue.array(entities.sorted().map(StoreValue.string))
    // Names of entities are no identifiers, so this cannot fail.
    let text = (try? JSONText.encoded(names)) ?? "[]"
    let kinds = StoreChange.Kind.allCases.map { "json_extract(g.value, '$.\($0.rawValue)')" }
    let name = "coalesce(\(kinds.joined(separator: ", ")))"
    let list: SQLFragment = "(SELECT value FROM json_each(\(bind: .text(text))))"
    return "EXISTS (SELECT 1 FROM json_each(changes) AS g WHERE \(name) IN \(list))"
  }
}

extension StoreHistoryFilter.Text {
  fileprivate var column: String {
    switch self {
    case .author: "author"
    case .bundle: "bundle"
    case .process: "process"
    }
  }
}
