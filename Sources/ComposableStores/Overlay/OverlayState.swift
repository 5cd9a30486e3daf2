import Foundation
import StoreProtocol

/// The edits of an overlay, in memory.
struct OverlayState: Sendable {
  /// The edit of one row.
  struct Row: Sendable {
    /// The current row, or `nil` if it was deleted.
    var record: DefaultSnapshot?
    let entity: String
    /// The identifier of the stored edit, or `nil` if it is not stored yet.
    var stored: PersistentIdentifier?
  }

  /// The key before that of the first new row, and the number before that of the first save.
  static let origin: Int64 = 1 << 40

  /// The rows that were inserted, changed or deleted.
  var rows: [PersistentIdentifier.Key: Row] = [:]
  /// The key that was assigned last.
  var lastKey = origin
  /// The number of the last save.
  var lastSave = origin
  /// Whether all rows of the base are hidden.
  var hidesBase = false
  /// The identifier of the stored numbers, or `nil` if they are not stored yet.
  var stored: PersistentIdentifier?
  /// The rows by their unique values.
  var unique: UniqueHolders
  /// A save whose outcome is unknown.
  var indeterminateSave: IndeterminateOverlaySave?
  /// The last save that was found stored after its outcome had been unknown.
  var resolvedSave: IndeterminateOverlaySave?

  /// Creates an empty state, without any unique values of the base.
  init(_ schema: StoreSchema) { unique = UniqueHolders(schema) }

  /// Whether all rows are those of the base.
  var isEmpty: Bool { rows.isEmpty && !hidesBase }

  /// Whether a row that a value refers to was deleted.
  func isGone(_ identifier: PersistentIdentifier) -> Bool {
    guard let row = rows[identifier.key] else { return hidesBase }
    return row.record == nil
  }

  /// Returns a record without references to rows that were deleted.
  func withStoredReferences(_ record: DefaultSnapshot) -> DefaultSnapshot {
    guard !isEmpty else { return record }
    var record = record
    for index in record.values.indices {
      record.values[index] = record.values[index].mappingReferences { isGone($0) ? nil : $0 }
    }
    return record
  }

  /// Removes all rows.
  ///
  /// - Returns: The stored edits that are no longer needed.
  mutating func erase() -> [PersistentIdentifier] {
    let gone = rows.values.compactMap(\.stored)
    lastSave += 1
    hidesBase = true
    rows = [:]
    unique.removeAll()
    return gone
  }

  /// Replaces references to rows that a later version of the base no longer has by `nil`.
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

/// A save whose outcome is unknown.
struct IndeterminateOverlaySave: Sendable {
  let save: UUID
  let result: StoreChangesResult
}

extension DefaultSnapshot {
  /// The rows that the record refers to.
  var references: [PersistentIdentifier] { values.flatMap(\.identifiers) }
}

extension Collection where Element == PersistentIdentifier {
  /// Returns the rows of identifiers, with one query per hierarchy.
  func rows(in store: some RecordStore) throws -> [DefaultSnapshot] {
    let schema = store.schema.storeSchema
    let groups = Dictionary(grouping: self) { schema.entity(named: $0.entityName)?.root }
    return try groups.flatMap { root, identifiers in
      try root.map { try store.fetch(.rows(identifiers, of: $0)) } ?? []
    }
  }
}
