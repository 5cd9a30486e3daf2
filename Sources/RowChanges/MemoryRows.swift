import StoreHelpers
import StoreProtocol

/// All rows of a store, with their unique values, and an undo log of uncommitted steps.
///
/// Invariants between two batches:
/// 1. No row has a key above ``lastKey``.
/// 2. Each reference in a row refers to an existing row and names that row's own entity.
/// 3. `holders` contains each set of unique values of each row, and nothing else.
/// 4. `referring` contains the keys of the rows that refer to each key, and nothing else.
package struct MemoryRows: Sendable {
  package private(set) var byKey: [Int64: DefaultSnapshot] = [:]
  /// The last key that was ever assigned.
  package private(set) var lastKey: Int64
  /// The number of the last save.
  package private(set) var lastSave: Int64
  private var holders: [UniqueValues: Int64] = [:]
  private var referring: [Int64: Set<Int64>] = [:]
  private var undo: [Step] = []

  /// Creates an empty set of rows.
  ///
  /// - Parameters:
  ///   - lastKey: The last key that was ever assigned.
  ///   - lastSave: The number of the last save.
  package init(lastKey: Int64 = 0, lastSave: Int64 = 0) {
    self.lastKey = lastKey
    self.lastSave = lastSave
  }

  /// The state before a step.
  private enum Step {
    case row(Int64, DefaultSnapshot?)
    case holder(UniqueValues, Int64?)
    case lastKey(Int64)
  }

  /// The row with an identifier, or `nil` if there is none.
  package subscript(identifier: PersistentIdentifier) -> DefaultSnapshot? {
    identifier.integerKey.flatMap { byKey[$0] }
  }

  /// Returns the next key and marks it as used.
  mutating func takeKey() -> Int64 {
    undo.append(.lastKey(lastKey))
    lastKey += 1
    return lastKey
  }

  /// Raises the next key, if it is smaller.
  mutating func skipKeys(to next: Int64) {
    guard next > lastKey + 1 else { return }
    undo.append(.lastKey(lastKey))
    lastKey = next - 1
  }

  /// Returns the key of the row that has any of a new record's sets of unique values.
  ///
  /// - Throws: ``DataStoreError/uniqueConflict`` if two rows each have some of them.
  func key(holding values: [UniqueValues], new entity: String) throws -> Int64? {
    var found: (key: Int64, values: UniqueValues)?
    for values in values {
      guard let key = holders[values] else { continue }
      if let found, found.key != key {
        let rivals = [(found.key, found.values), (key, values)].compactMap { key, values in
          byKey[key].map { (row: $0.persistentIdentifier, properties: values.properties) }
        }
        throw DataStoreError.uniqueConflict(ofNew: entity, with: rivals)
      }
      found = (key, values)
    }
    return found?.key
  }

  /// Releases the unique values of a row, for other rows or for itself.
  mutating func release(_ values: [UniqueValues]) {
    for values in values { undo.append(.holder(values, holders.removeValue(forKey: values))) }
  }

  /// Adds a row, or replaces a row whose unique values were released.
  ///
  /// - Throws: ``DataStoreError/uniqueConflict`` if another row has its unique values.
  package mutating func put(_ row: DefaultSnapshot, at key: Int64, unique: [UniqueValues]) throws {
    for values in unique {
      let other = holders.updateValue(key, forKey: values)
      undo.append(.holder(values, other))
      if let other, other != key, let rival = byKey[other] {
        throw DataStoreError.uniqueConflict(
          between: row.persistentIdentifier,
          and: rival.persistentIdentifier,
          over: values.properties,
          of: values.entity
        )
      }
    }
    undo.append(.row(key, replace(key, by: row)))
  }

  /// Removes a row whose unique values were released; its key is not reused.
  mutating func remove(_ key: Int64) {
    undo.append(.row(key, replace(key, by: nil)))
  }

  /// Sets or removes a row, with its references, and returns the previous row.
  private mutating func replace(_ key: Int64, by row: DefaultSnapshot?) -> DefaultSnapshot? {
    let old = byKey[key]
    byKey[key] = row
    old?.values.forEachReference { referring[$0]?.remove(key) }
    row?.values.forEachReference { referring[$0, default: []].insert(key) }
    old?.values.forEachReference { if referring[$0]?.isEmpty == true { referring[$0] = nil } }
    return old
  }

  /// Whether any row refers to another.
  var haveReferences: Bool { !referring.isEmpty }

  /// Returns the keys of the rows that refer to a row, in no particular order.
  package func keys(referringTo key: Int64) -> Set<Int64> { referring[key] ?? [] }

  /// The rows that changed since the last commit, with their previous state, or `nil` for a new
  /// row.
  package var changedRows: [Int64: DefaultSnapshot?] {
    var rows: [Int64: DefaultSnapshot?] = [:]
    for case .row(let key, let row) in undo where rows[key] == nil {
      rows.updateValue(row, forKey: key)
    }
    return rows
  }

  /// The rows that were put since the last commit, also those that were replaced again.
  package var putRows: [DefaultSnapshot] {
    var keys: Set<Int64> = []
    let replaced = undo.compactMap { step -> DefaultSnapshot? in
      guard case .row(let key, let row) = step, !keys.insert(key).inserted else { return nil }
      return row
    }
    return replaced + keys.compactMap { byKey[$0] }
  }

  /// The last key that was assigned before the last commit.
  package var lastKeyBefore: Int64 {
    for case .lastKey(let key) in undo { return key }
    return lastKey
  }

  /// Commits all steps as those of a save.
  package mutating func commit(save: Int64) {
    undo = []
    lastSave = save
  }

  /// Undoes all steps since the last commit.
  package mutating func rollBack() {
    while let step = undo.popLast() {
      switch step {
      case .row(let key, let row): _ = replace(key, by: row)
      case .holder(let values, let key): holders[values] = key
      case .lastKey(let key): lastKey = key
      }
    }
  }

  /// Adds rows with existing keys to an empty set.
  package mutating func fill(_ rows: [DefaultSnapshot], _ catalog: Catalog) throws {
    let present = Set(rows.map(\.persistentIdentifier))
    for row in rows.sorted(by: { $0.persistentIdentifier < $1.persistentIdentifier }) {
      guard let key = row.persistentIdentifier.integerKey else { continue }
      var whole = row
      whole.values = row.values.map { value in
        value.mappingReferences { present.contains($0) ? $0 : nil }
      }
      whole.version = 1
      try put(whole, at: key, unique: catalog.uniqueValues(of: whole))
      lastKey = max(lastKey, key)
    }
    commit(save: 1)
  }

  /// Deletes all rows in a separate save; their keys are not reused.
  package mutating func erase() {
    lastSave += 1
    byKey = [:]
    holders = [:]
    referring = [:]
  }
}

extension [StoreValue] {
  /// Calls a closure with the key of each row that the values of a row refer to.
  fileprivate func forEachReference(_ body: (Int64) -> Void) {
    for value in self {
      switch value {
      case .identifier(let one): one.integerKey.map(body)
      case .identifiers(let list): list.lazy.compactMap(\.integerKey).forEach(body)
      default: break
      }
    }
  }
}
