/// Rows with unique values that an index does not find, since Swift's equality treats some bytes as
/// equal that SQLite distinguishes.
///
/// They are read at the first use and stay with the writing connection, so that not every save
/// reads the table. Memory grows with the number of rows with such values.
///
/// Invariant: they include all such rows of the state after the save `save`. Each is read again
/// before it is used.
struct InexactRows {
  /// The rows of one constraint.
  struct Index {
    /// The keys by the values, with Swift's equality.
    ///
    /// A row may have changed in the meantime.
    var keys: [[SQLValue]: Set<Int64>] = [:]
    /// The rows of the table that were written since the index was built.
    var written: [Int64] = []
    /// The number of entries from which the table is read anew, so that removed rows do not use
    /// memory forever.
    var capacity = 1_000

    mutating func note(_ key: Int64, _ values: [SQLValue]) {
      guard !values.allSatisfy(\.isExact) else { return }
      keys[values.map(\.comparable), default: []].insert(key)
    }
  }

  /// The number of the save after which they are valid, or `nil` if other statements may have run
  /// in between.
  var save: Int64?
  /// The rows by the names of the indexes of their constraints.
  var indexes: [String: Index] = [:]

  /// Keeps the rows for the save after the given one.
  mutating func keep(after save: Int64) {
    self.save = save
    indexes = indexes.filter { $0.value.keys.count + $0.value.written.count <= $0.value.capacity }
  }
}
