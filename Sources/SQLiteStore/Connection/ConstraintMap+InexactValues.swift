import SQLTranslation

// Comparison of unique values that SQL's indexes cannot compare as Swift does.

extension ConstraintMap {
  /// Whether one of the columns is marked, in the state that the connection sees.
  func isMarked(on connection: Connection) throws -> Bool {
    try marks.contains { try InexactColumns.isMarked($0, on: connection) }
  }

  /// Calls a function with each row whose values equal those of an earlier one, as Swift compares
  /// them.
  ///
  /// - Parameters:
  ///   - connection: The connection that reads the rows.
  ///   - body: Gets the keys of the row and of the earlier one, and returns whether to continue.
  /// - Throws: The body's errors, and SQLite's.
  func forEachRepeat(
    on connection: Connection,
    _ body: (_ key: Int64, _ earlier: Int64) throws -> Bool
  ) throws {
    var owners: [[SQLValue]: Int64] = [:]
    try connection.withStatement(selection) { statement in
      while try statement.step() {
        let values = columns.indices.map { statement.value(at: $0).comparable }
        if equalNoValues(values) { continue }
        let key = statement.integer(at: values.count)
        guard let earlier = owners.updateValue(key, forKey: values) else { continue }
        guard try body(key, earlier) else { return }
      }
    }
  }
}
