/// Prepared statements of one connection by their text, the least recently used dropped first.
///
/// A statement is taken out while it is in use, so a query that runs inside the rows of the same
/// query gets a statement of its own.
struct StatementCache {
  private struct Entry {
    let statement: Statement
    let lastUse: UInt64
  }

  private let capacity: Int
  private var entries: [String: Entry] = [:]
  private var uses: UInt64 = 0

  init(capacity: Int) {
    self.capacity = capacity
  }

  /// How many statements wait for their next use.
  var count: Int { entries.count }

  /// Takes the statement of a text out of the cache.
  mutating func take(_ sql: String) -> Statement? {
    entries.removeValue(forKey: sql)?.statement
  }

  /// Gives a statement back, ready for its next use.
  ///
  /// - Complexity: O(1), or O(*n*) in the capacity when the cache is full.
  mutating func giveBack(_ statement: Statement) {
    guard capacity > 0 else { return }
    uses += 1
    if entries.count >= capacity, entries[statement.sql] == nil {
      if let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })?.key {
        entries[oldest] = nil
      }
    }
    entries[statement.sql] = Entry(statement: statement, lastUse: uses)
  }

  /// Finalizes every statement that waits.
  mutating func removeAll() {
    entries.removeAll()
  }
}
