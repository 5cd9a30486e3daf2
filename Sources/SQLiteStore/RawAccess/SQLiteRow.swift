/// One row of a statement's result.
public struct SQLiteRow: Hashable, Sendable {
  /// The names of the columns, in order.
  public let columns: [String]
  /// The values, in the order of the columns.
  public let values: [SQLValue]

  /// Returns the value of the first column with a name, or `nil` if there is no such column.
  ///
  /// - Complexity: O(*n*) in the columns.
  public subscript(column: String) -> SQLValue? {
    columns.firstIndex(of: column).map { values[$0] }
  }

  /// Returns the value at a zero-based index, or `nil` if there is no such column.
  public subscript(index: Int) -> SQLValue? {
    values.indices.contains(index) ? values[index] : nil
  }
}
