import SQLTranslation
import StoreProtocol

/// Values that must be unique and that SQL's indexes cannot compare as Swift does.
extension Verification {
  /// Compares the unique values of a table in columns that are marked; SQLite compares the others
  /// itself.
  func checkUniqueValues(of table: TableMap) throws {
    for constraint in try catalog.map.constraints(of: table) where constraint.hasInexactColumns {
      if try constraint.isMarked(on: connection) { try compareValues(of: constraint) }
    }
  }

  private func compareValues(of constraint: ConstraintMap) throws {
    if found.isFull { return }
    try constraint.forEachRepeat(on: connection) { key, other in
      found.note(
        StoreProblem(
          "\(constraint.entity)/\(other) has the same unique values",
          identifier: try catalog.identifier(key, of: constraint.entity),
          property: constraint.properties.joined(separator: ", "),
          file: file
        )
      )
      return !found.isFull
    }
  }
}
