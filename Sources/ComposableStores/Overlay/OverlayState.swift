import Foundation
import StoreProtocol

/// The edits of an overlay, as they are in memory.
struct OverlayState: Sendable {
  /// What became of one row.
  struct Row: Sendable {
    /// The row as it is now, nil where it was deleted.
    var record: DefaultSnapshot?
    /// The name of its entity.
    let entity: String
    /// Where it is among the stored edits, nil as long as it is not.
    var stored: PersistentIdentifier?
  }

  /// The key before that of the first new row, and the number before that of the first save.
  static let origin: Int64 = 1 << 40

  /// The rows that were made, changed or deleted.
  var rows: [PersistentIdentifier.Key: Row] = [:]
  /// The key that was given last.
  var lastKey = origin
  /// The number of the last save.
  var lastSave = origin
  /// Whether nothing of the base is to be seen any more.
  var hidesBase = false
  /// Where these numbers are among the stored edits, nil as long as they are not.
  var stored: PersistentIdentifier?
  /// Which rows have which unique values.
  var unique: UniqueHolders
  /// A save of which nobody knows whether it was stored.
  var doubt: OverlayDoubt?

  /// No edits, over a base of which nothing is known yet.
  init(_ schema: StoreSchema) { unique = UniqueHolders(schema) }

  /// Whether all rows are those of the base.
  var isEmpty: Bool { rows.isEmpty && !hidesBase }

  /// Whether a row that a value refers to was deleted.
  func isGone(_ identifier: PersistentIdentifier) -> Bool {
    guard let row = rows[identifier.key] else { return hidesBase }
    return row.record == nil
  }

  /// A record without references to rows that were deleted.
  func settled(_ record: DefaultSnapshot) -> DefaultSnapshot {
    guard !isEmpty else { return record }
    var record = record
    for index in record.values.indices {
      switch record.values[index] {
      case .identifier(let one) where isGone(one): record.values[index] = .null
      case .identifiers(let list) where list.contains(where: isGone):
        record.values[index] = .identifiers(list.filter { !isGone($0) })
      default: continue
      }
    }
    return record
  }

  /// Removes all rows.
  ///
  /// - Returns: The stored edits that are needed no longer.
  mutating func erase() -> [PersistentIdentifier] {
    let gone = rows.values.compactMap(\.stored)
    lastSave += 1
    hidesBase = true
    rows = [:]
    unique.removeAll()
    return gone
  }

  /// Takes references to rows of the base that it has no longer, being of a later version, for nil.
  mutating func forgetLostReferences(in base: some RecordStore) throws {
    guard !hidesBase else { return }
    let referred = Set(rows.values.compactMap(\.record).flatMap(\.references))
    let below = referred.filter { rows[$0.key] == nil }
    let present = Set(
      try below.rows(in: base).map(\.persistentIdentifier.key)
    )
    let lost = Set(below.map(\.key)).subtracting(present)
    guard !lost.isEmpty else { return }
    for key in rows.keys {
      guard var record = rows[key]?.record else { continue }
      for index in record.values.indices {
        record.values[index] = record.values[index].mappingReferences {
          lost.contains($0.key) ? nil : $0
        }
      }
      rows[key]?.record = record
    }
  }
}

/// A save of which nobody knows whether it was stored.
struct OverlayDoubt: Sendable {
  let save: UUID
  let result: StoreChangesResult
}

extension DefaultSnapshot {
  /// The rows that the record refers to.
  var references: [PersistentIdentifier] { values.flatMap(\.references) }
}

extension StoreValue {
  /// The rows that the value refers to.
  var references: [PersistentIdentifier] {
    switch self {
    case .identifier(let one): [one]
    case .identifiers(let list): list
    default: []
    }
  }

  /// The value with other references; nil leaves one out, and nobody is in a list twice.
  func mappingReferences(
    _ body: (PersistentIdentifier) -> PersistentIdentifier?
  ) -> StoreValue {
    switch self {
    case .identifier(let one): body(one).map(StoreValue.identifier) ?? .null
    case .identifiers(let list): .identifiers(list.compactMap(body).withoutRepeats)
    default: self
    }
  }
}

extension Collection where Element == PersistentIdentifier {
  /// The rows of identifiers, asked for with one query a hierarchy.
  func rows(in store: some RecordStore) throws -> [DefaultSnapshot] {
    let schema = store.schema.storeSchema
    let groups = Dictionary(grouping: self) { schema.entity(named: $0.entityName)?.root }
    return try groups.flatMap { root, identifiers in
      try root.map { try store.fetch(.rows(identifiers, of: $0)) } ?? []
    }
  }
}
