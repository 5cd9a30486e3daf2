/// Prepared statements of one connection by their SQL; the least recently used is dropped first.
///
/// A statement in use is not given out again: a query that runs inside the rows of an equal query
/// gets a statement of its own, which is not kept.
package struct StatementCache {
  private let capacity: Int
  private var statements: [String: Statement] = [:]
  /// The last statement that was requested.
  ///
  /// The next request is mostly for an equal statement by the same string object, so that nothing
  /// is hashed.
  private var last: Statement?
  private var uses: UInt64 = 0

  package init(capacity: Int) {
    self.capacity = capacity
  }

  /// Returns the statement of an SQL string for a use, or `nil` if it is not cached or in use.
  package mutating func idle(_ sql: String) -> Statement? {
    if last?.sql != sql {
      guard let found = statements[sql] else { return nil }
      last = found
    }
    guard let statement = last, !statement.isInUse else { return nil }
    uses += 1
    statement.lastUse = uses
    statement.isInUse = true
    return statement
  }

  /// Keeps a new statement that is in use, unless one with equal SQL is kept already.
  ///
  /// - Complexity: O(1), or O(*n*) in the capacity if the cache is full.
  package mutating func keep(_ statement: Statement) {
    statement.isInUse = true
    guard capacity > 0, statements[statement.sql] == nil else { return }
    if statements.count >= capacity {
      let idle = statements.values.filter { !$0.isInUse }
      guard let oldest = idle.min(by: { $0.lastUse < $1.lastUse }) else { return }
      statements[oldest.sql] = nil
      last = nil
    }
    uses += 1
    statement.lastUse = uses
    statements[statement.sql] = statement
  }

  /// Finalizes every statement that is not in use.
  package mutating func removeAll() {
    last = nil
    statements.removeAll()
  }
}
