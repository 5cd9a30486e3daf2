/// One row of a statement's answer.
public struct SQLiteRow: Hashable, Sendable {
  /// The names of the columns, in order.
  public let columns: [String]
  /// The values, in the order of the columns.
  public let values: [SQLValue]

  /// The value of the first column of a name, nil where there is no such column.
  ///
  /// - Complexity: O(*n*) in the columns.
  public subscript(column: String) -> SQLValue? {
    columns.firstIndex(of: column).map { values[$0] }
  }

  /// The value at a position from 0 on, nil where there is no such column.
  public subscript(index: Int) -> SQLValue? {
    values.indices.contains(index) ? values[index] : nil
  }
}
