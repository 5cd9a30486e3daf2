import Foundation
import SQLTranslation
import SQLiteBinding
import StoreProtocol

/// The dialect of Core Data's files, for the columns of a ``SourceCatalog``.
///
/// Strings may have any form, so that all compare by the collation. Lists of related objects and row
/// functions are left to the evaluator.
struct CoreDataDialect: SQLiteSyntax {
  private let content: SourceContent
  private let ranks: [String: Int64]
  let findsNumbersWithCare = true
  let computesRealNumbers = false
  var functions: (any SQLFunctionSet)? { nil }

  init(_ content: SourceContent) {
    self.content = content
    ranks = Dictionary(firstOf: content.layout.entities.values.map { ($0.table, $0.rank) })
  }

  func needsCare(_ type: AttributeType) -> Bool { type == .string || type == .url }

  func operand(_ value: StoreValue, _ type: AttributeType) -> Operand? {
    switch (type, value) {
    case (_, .double(let number)) where type.isInteger && !number.isNaN: .ordered(.real(number))
    case (.double, .integer(let number)): .ordered(.integer(number))
    case (.uuid, .uuid(let id)): .ordered(.blob(withUnsafeBytes(of: id.uuid) { Data($0) }))
    default: plainOperand(value, type)
    }
  }

  /// Returns a number for an integer in a column of numbers or dates, and a Boolean for any integer.
  func value(
    of column: ColumnMap,
    _ text: SQLFragment,
    in map: EntityMap,
    _ property: String
  ) -> SQLFragment? {
    switch column.type {
    case .double, .date: "CAST(\(text) AS REAL)"
    case .bool: "(\(text) <> 0)"
    default: nil
    }
  }

  func key(_ identifier: PersistentIdentifier, in table: String) -> Int64? {
    ranks[table].flatMap { content.tableKey(identifier, rank: $0) }
  }

  func carefulTest(_ test: ColumnTest, _ column: SQLFragment) -> SQLFragment { test.plain(column) }

  func integer(_ value: SQLFragment) -> SQLFragment { "CAST(\(value) AS INTEGER)" }

  /// Returns `nil` for references, since identifiers have an order of their own.
  func order(
    _ value: SQLFragment,
    _ content: ColumnMap.Content,
    _ exactness: Exactness
  ) -> SQLFragment? {
    guard case .value = content else { return nil }
    return exactness == .byCollation ? "\(value)\(swiftCollation)" : value
  }

  func memberPosition(_ list: SQLFragment, _ key: SQLFragment) -> SQLFragment { key }
}
