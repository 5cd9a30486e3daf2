import Foundation
import StoreProtocol

/// The storage format of an overlay's edits: rows of two entities of their own.
enum EditSchema {
  /// A row that was inserted, changed or deleted.
  ///
  /// `row` is a ``CodedEdit`` as JSON; the rest is for people who inspect the store.
  static let edit = StoreEntity(
    name: "OverlayEdit",
    properties: [
      StoreProperty(name: "entity", kind: .attribute(.string)),
      StoreProperty(name: "key", kind: .attribute(.string)),
      StoreProperty(name: "isDeleted", kind: .attribute(.bool)),
      StoreProperty(name: "row", kind: .attribute(.data)),
    ]
  )

  /// The one row with the numbers of the overlay, and the identifier of the base.
  static let numbers = StoreEntity(
    name: "OverlayNumbers",
    properties: [
      StoreProperty(name: "base", kind: .attribute(.string)),
      StoreProperty(name: "lastKey", kind: .attribute(.int64)),
      StoreProperty(name: "lastSave", kind: .attribute(.int64)),
      StoreProperty(name: "hidesBase", kind: .attribute(.bool)),
    ]
  )

  /// The schema of both entities.
  static let schema = StoreSchema(entities: [edit, numbers])

  static func record(
    of row: OverlayState.Row,
    at key: PersistentIdentifier.Key,
    base: String
  ) throws -> DefaultSnapshot {
    let identifier = PersistentIdentifier(key, of: row.entity, in: base)
    let coded = CodedEdit(
      identifier: identifier,
      version: row.record?.version ?? 0,
      record: row.record
    )
    let data: Data
    do {
      data = try TypedSnapshotCoding.$current.withValue(nil) { try JSONEncoder().encode(coded) }
    } catch {
      throw DataStoreError(
        .invalidValue,
        "the row \(identifier) has a value that cannot be stored as an edit",
        entity: row.entity,
        cause: error
      )
    }
    let word = "\(identifier)".dropFirst(row.entity.count + 1)
    return new(
      edit,
      [.string(row.entity), .string(String(word)), .bool(row.record == nil), .data(data)]
    )
  }

  static func record(of state: OverlayState, base: String) -> DefaultSnapshot {
    new(
      numbers,
      [
        .string(base), .integer(state.lastKey), .integer(state.lastSave), .bool(state.hidesBase),
      ]
    )
  }

  private static func new(_ entity: StoreEntity, _ values: [StoreValue]) -> DefaultSnapshot {
    let key = PersistentIdentifier.Key.temporary(PersistentIdentifier.nextTemporaryNumber())
    return DefaultSnapshot(
      persistentIdentifier: PersistentIdentifier(key, of: entity.name),
      entity: entity,
      values: values
    )
  }
}

/// The stored form of a row of an overlay.
struct CodedEdit: Codable {
  let identifier: PersistentIdentifier
  let version: Int64
  /// The row, or `nil` if it was deleted.
  let record: DefaultSnapshot?
}

extension DefaultSnapshot {
  /// Returns an update of a stored row to all values of this record.
  func update(of stored: PersistentIdentifier) -> StoreUpdate {
    StoreUpdate(
      identifier: stored,
      changes: values.enumerated().map { StoreUpdate.Change($0, $1) }
    )
  }
}
