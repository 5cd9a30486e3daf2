import StoreProtocol

/// All rows of a store, with what keeps them unique.
///
/// What holds between two batches:
/// 1. No row has a key above ``lastKey``.
/// 2. Each reference in a row leads to a row and names that row's own entity.
/// 3. `holders` has each set of unique values of each row, and nothing else.
struct MemoryRows: Sendable {
  /// The rows by key.
  private(set) var byKey: [Int64: DefaultSnapshot] = [:]
  /// The last key that was ever given.
  private(set) var lastKey: Int64 = 0
  private var holders: [UniqueValues: Int64] = [:]

  /// The row of an identifier.
  subscript(identifier: PersistentIdentifier) -> DefaultSnapshot? {
    identifier.integerKey.flatMap { byKey[$0] }
  }

  /// Takes the next key.
  mutating func takeKey() -> Int64 {
    lastKey += 1
    return lastKey
  }

  /// The rows that have one of several sets of unique values.
  func keys(holding values: [UniqueValues]) -> Set<Int64> { Set(values.compactMap { holders[$0] }) }

  /// Gives the unique values of a row free, for others or for itself.
  mutating func release(_ values: [UniqueValues]) {
    for values in values { holders[values] = nil }
  }

  /// Adds a row, or sets a row whose unique values were released.
  ///
  /// - Throws: ``DataStoreError/uniqueConflict`` when another row has its unique values.
  mutating func put(_ row: DefaultSnapshot, at key: Int64, unique: [UniqueValues]) throws {
    for values in unique {
      if let other = holders.updateValue(key, forKey: values), other != key {
        throw values.conflict(between: min(key, other), and: max(key, other))
      }
    }
    byKey[key] = row
  }

  /// Removes a row whose unique values were released; its key is not given again.
  mutating func remove(_ key: Int64) { byKey[key] = nil }

  /// Removes all rows; their keys are not given again.
  mutating func erase() {
    byKey = [:]
    holders = [:]
  }
}
