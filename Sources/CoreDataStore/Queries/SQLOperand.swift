import CoreDataFiles
import Foundation
import StoreProtocol

/// A value of a row as SQL, of a kind that SQLite compares as Swift does.
struct SQLOperand {
  /// The kinds of values that SQLite compares as Swift does, strings with a collation.
  enum Kind {
    case integer, bool, number, date, string, uuid
    /// The key of a row of a table, by the rank of the table.
    case key(rank: Int64)
  }

  var sql: String
  var values: [SourceCell] = []
  let kind: Kind
  /// Whether NULL excludes the row, whatever the rest of the filter is.
  var isUnwrapped = false

  /// Returns the kind of an attribute's values, or `nil` if SQLite compares them differently.
  static func kind(of type: AttributeType, stored: ManagedModel.AttributeType) -> Kind? {
    switch (type, stored) {
    case (_, .integer16), (_, .integer32), (_, .integer64):
      type == .bool ? .bool : type.isInteger ? .integer : nil
    case (.bool, .boolean): .bool
    case (.double, .double): .number
    case (.date, .date): .date
    case (.string, .string), (.string, .uri), (.url, .uri), (.url, .string): .string
    case (.uuid, .uuid): .uuid
    default: nil
    }
  }

  init(column: String, kind: Kind) {
    self.kind = kind
    // Columns for dates and numbers may hold integers, which are read as numbers.
    switch kind {
    case .number, .date: sql = "CAST(\(column) AS REAL)"
    case .bool: sql = "(\(column) <> 0)"
    case .string: sql = "\(column) COLLATE \(SwiftCollation.name)"
    case .integer, .uuid, .key: sql = column
    }
  }

  /// Returns a constant as SQLite stores it, or `nil` if it is not of the operand's kind.
  func cell(_ value: StoreValue) -> SourceCell? {
    switch (kind, value) {
    case (.integer, .integer(let number)), (.number, .integer(let number)): .integer(number)
    case (.integer, .double(let number)) where !number.isNaN,
      (.number, .double(let number)) where !number.isNaN:
      .real(number)
    case (.bool, .bool(let value)): .integer(value ? 1 : 0)
    case (.date, .date(let date)) where !date.timeIntervalSinceReferenceDate.isNaN:
      .real(date.timeIntervalSinceReferenceDate)
    case (.string, .string(let text)): .text([UInt8](text.utf8))
    case (.uuid, .uuid(let id)): withUnsafeBytes(of: id.uuid) { .blob([UInt8]($0)) }
    default: nil
    }
  }

  /// Returns the operand with a value in place of NULL.
  func coalesced(_ value: StoreValue) -> SQLOperand? {
    guard let cell = cell(value), !isUnwrapped else { return nil }
    var result = self
    // The first argument determines the collation.
    result.sql = "ifnull(\(sql), ?)"
    if case .string = kind { result.sql += " COLLATE \(SwiftCollation.name)" }
    result.values.append(cell)
    return result
  }
}
