/// Rows with unique values that an index does not find, since Swift's equality takes bytes for equal that
/// SQLite tells apart.
///
/// They are read at the first use and stay with the connection that writes, so that not each save reads
/// the table. Memory grows with the rows that have such values.
/// Invariant: they include all such rows of the state that `save` has left. Each is read again before it
/// is believed.
struct InexactRows {
  /// The rows of one constraint.
  struct Index {
    /// The keys by the values in Swift's equality.
    ///
    /// A row may have changed since.
    var keys: [[SQLValue]: Set<Int64>] = [:]
    /// The rows of the table that were written since.
    var written: [Int64] = []
    /// How much may be noted before the table is read anew, so that rows that are gone take no memory for ever.
    var capacity = 1_000

    mutating func note(_ key: Int64, _ values: [SQLValue]) {
      guard !values.allSatisfy(\.isExact) else { return }
      keys[values.map(\.comparable), default: []].insert(key)
    }
  }

  /// The number of the save that has left them, `nil` where other statements may have come between.
  var save: Int64?
  /// The rows by the names of the indexes of their constraints.
  var indexes: [String: Index] = [:]

  /// Keeps the rows for the save after a given one.
  mutating func keep(after save: Int64) {
    self.save = save
    indexes = indexes.filter { $0.value.keys.count + $0.value.written.count <= $0.value.capacity }
  }
}
