import SQLTranslation
import StoreProtocol

/// Marks the columns in which a program has written values that SQL compares differently than
/// Swift.
struct RawMarks {
  let connection: Connection

  /// Inspects the values of some rows, and marks their columns if needed.
  func update(to table: TableMap, _ keys: [Int64]) throws {
    for column in table.columns {
      guard let type = column.type, type.hasInexactValues,
        try !InexactColumns.isMarked(column, in: table, on: connection),
        try hasInexactValue(column, type, table, keys)
      else { continue }
      try InexactColumns.mark(column.inexactMark(in: table.name), on: connection)
    }
  }

  private func hasInexactValue(
    _ column: ColumnMap,
    _ type: AttributeType,
    _ table: TableMap,
    _ keys: [Int64]
  ) throws -> Bool {
    let sql =
      table.selectionByKeys(column.sql) + " AND typeof(\(column.sql)) IN ('text', 'blob')"
    return try connection.withStatement(sql, .text(KeyList.encoded(keys))) {
      while try $0.step() {
        if $0.fileReference(at: 0, as: type) == nil, !$0.value(at: 0).isExact { return true }
      }
      return false
    }
  }
}
