import Foundation
import PostgreSQLClient
import SQLTranslation

// An administrator's rules and triggers can discard what a save writes, without an error. The last
// statements of a save therefore fail unless everything is stored.

/// A check that the rows of a request are those that a save wrote.
struct RowCheck {
  private let rows: RowRequest
  private let count: Int
  private let changed: Int?
  private let condition: SQLFragment

  /// Creates a check.
  ///
  /// - Parameters:
  ///   - rows: The rows.
  ///   - count: The number of rows.
  ///   - changed: The number of rows that the save changed, which satisfy the condition, or `nil` for
  ///     rows that the save may leave as they are.
  ///   - condition: The condition.
  init(_ rows: RowRequest, count: Int, changed: Int? = nil, where condition: SQLFragment = "true") {
    (self.rows, self.count, self.changed, self.condition) = (rows, count, changed, condition)
  }

  /// Creates a check that there are no such rows.
  init(none rows: RowRequest) { self.init(rows, count: 0, changed: 0) }

  /// Returns the statement, to be executed after those of the changes.
  ///
  /// - Parameters:
  ///   - save: The number of the save.
  ///   - record: The record of the save, which the statement also checks, or `nil`.
  /// - Returns: The statement, which fails if the check fails.
  func statement(_ save: Int64, and record: SaveRecord?) -> Statement {
    let reason: SQLFragment = "'rows are missing, discarded, or have other spellings; found '"
    let isUnchanged: SQLFragment =
      changed.map { changed in
        let rows: SQLFragment =
          "count(*) FILTER (WHERE _version = \(bind: .integer(save)) AND \(condition))"
        return " OR \(rows) <> \(bind: .integer(Int64(changed)))"
      } ?? ""
    let isMissing: SQLFragment = record.map { " OR NOT \($0.isStored)" } ?? ""
    let check: SQLFragment = """
      SELECT CASE WHEN count(*) <> \(bind: .integer(Int64(count)))\(isUnchanged)\(isMissing) THEN (\(reason) || count(*)::text)::int END FROM \(rows.table.name) \(rows.rest)
      """
    return check.statement
  }
}

/// The rows of a save in the store's own tables.
struct SaveRecord {
  /// The quoted name of the store's schema.
  let space: String
  let save: UUID
  let number: Int64
  /// The least key that later saves may use, or `nil` if the counters are written after a later save of
  /// the transaction.
  let nextKey: Int64?
  /// Whether the save is in the history.
  let isInHistory: Bool

  /// The condition that they are stored.
  fileprivate var isStored: SQLFragment {
    let history =
      isInHistory ? " JOIN \(space)._history AS h ON h.number = s.number AND h.save = s.save" : ""
    let counters = nextKey.map { _ in " JOIN \(space)._meta AS m ON m.save = s.save" } ?? ""
    let areCounted: SQLFragment =
      nextKey.map { " AND m.last_save = s.number AND m.next_key >= \(bind: .integer($0))" } ?? ""
    return """
      EXISTS (SELECT FROM \(space)._saves AS s\(counters)\(history) \
      WHERE s.save = \(bind: .uuid(save)) AND s.number = \(bind: .integer(number))\(areCounted))
      """
  }

  /// Returns the statements that execute checks of rows, and check the record.
  func statements(_ checks: [RowCheck]) -> [Statement] {
    // The record is checked by the first statement: one more would be slower.
    if let first = checks.first {
      return [first.statement(number, and: self)]
        + checks.dropFirst().map { $0.statement(number, and: nil) }
    }
    let check: SQLFragment = """
      SELECT CASE WHEN NOT \(isStored) \
      THEN ('the save is not recorded: ' || last_save::text)::int END FROM \(space)._meta
      """
    return [check.statement]
  }
}
