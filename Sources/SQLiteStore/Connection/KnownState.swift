/// The knowledge of the writing connection about the state after its last save.
///
/// A save need not read it then.
///
/// It is the state until the next save if that has the number after `save`, and finds the log with the
/// same mark: another program need not count what it writes. A rollback, and a program's own
/// statements, end what is known.
struct KnownState {
  /// The number of the save, or `nil` if nothing is known.
  var save: Int64?
  /// The mark of the log after the save's transaction, or `nil` before its end or without a log.
  var mark: LogIndex.Mark?
  /// The next key that no row has ever had, if a save has needed it.
  var nextKey: Int64?
  /// The plans of entities without inexact unique values (``UniqueFinder``).
  var exactPlans: Set<ObjectIdentifier> = []
  /// The rows with inexact unique values, by the names of the indexes of their constraints.
  var inexactRows: [String: InexactRows] = [:]

  /// Forgets the rows of which too many are no longer there.
  mutating func dropLargeRows() {
    inexactRows = inexactRows.filter { $0.value.count <= $0.value.capacity }
  }
}

/// The rows of one constraint with unique values that an index does not find, since Swift's equality
/// treats some bytes as equal that SQLite distinguishes.
///
/// They are read at the first use and stay with the writing connection, so that not every save
/// reads the table. Memory grows with the number of rows with such values.
///
/// Invariant: they include all such rows of the known state. Each is read again before it is used.
struct InexactRows {
  /// The keys by the values, with Swift's equality.
  ///
  /// A row may have changed in the meantime.
  var keys: [[SQLValue]: Set<Int64>] = [:]
  /// The rows of the table that were written since the index was built.
  var written: [Int64] = []
  /// The number of entries from which the table is read anew, so that removed rows do not use
  /// memory forever.
  var capacity = 1_000

  /// The number of entries.
  var count: Int { keys.count + written.count }

  mutating func note(_ key: Int64, _ values: [SQLValue]) {
    guard !values.allSatisfy(\.isExact) else { return }
    keys[values.map(\.comparable), default: []].insert(key)
  }
}
