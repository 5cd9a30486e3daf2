import StoreProtocol

/// What a folder is.
struct FolderHead: Codable, Sendable {
  let identifier: String
  let schema: StoreSchema
}

/// What the last save changed.
struct FolderSave: Codable, Sendable {
  /// The last key that was ever given.
  var lastKey = 0
  var written: [DefaultSnapshot] = []
  var removed: [Int] = []

  init() {}

  init(from old: FolderState, to new: FolderState) {
    lastKey = new.lastKey
    written = new.rows.filter { old.rows[$0.key] != $0.value }.map(\.value)
    removed = old.rows.keys.filter { new.rows[$0] == nil }
  }
}

/// All rows of a folder in memory.
struct FolderState: Sendable {
  let head: FolderHead
  var rows: [Int: DefaultSnapshot] = [:]
  var lastKey = 0
  var save = FolderSave()
  /// Whether the files of the rows have what the last save changed.
  var isFinished = true

  init(head: FolderHead) { self.head = head }

  func entity(_ name: String) throws -> StoreEntity {
    if let entity = head.schema.entity(named: name) { return entity }
    throw DataStoreError(.schemaMismatch, "the folder's schema lacks this entity", entity: name)
  }

  /// A record as a row: its values in the order of the properties.
  func row(_ record: DefaultSnapshot, _ new: PersistentIdentifier) throws -> DefaultSnapshot {
    let entity = try entity(new.entityName)
    let values = entity.properties.map { record[$0.name] ?? .null }
    return DefaultSnapshot(persistentIdentifier: new, entity: entity, values: values)
  }

  mutating func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    for identifier in changes.deleted { rows[identifier.number] = nil }
    var result = StoreChangesResult()
    for record in changes.inserted {
      lastKey += 1
      let old = record.persistentIdentifier
      result.remapped[old] = PersistentIdentifier(
        scope: .init(storeIdentifier: head.identifier, entityName: old.entityName),
        key: .integer(Int64(lastKey))
      )
    }
    for update in changes.updated {
      guard let row = rows[update.identifier.number] else {
        throw DataStoreError(.conflict, "the row \(update.identifier) is gone; fetch again")
      }
      for change in update.changes {
        guard row.values.indices.contains(change.index) else {
          throw DataStoreError(.invalidValue, "the row has no property \(change.index)")
        }
        rows[update.identifier.number]?.values[change.index] = change.value
      }
    }
    for record in changes.inserted {
      guard let new = result.remapped[record.persistentIdentifier] else { continue }
      rows[new.number] = try row(record, new)
    }
    for (key, record) in rows {
      let values = try settled(record, result.remapped)
      rows[key]?.values = values
    }
    return result
  }

  private func settled(
    _ record: DefaultSnapshot,
    _ remapped: [PersistentIdentifier: PersistentIdentifier]
  ) throws -> [StoreValue] {
    func stored(_ one: PersistentIdentifier) throws -> PersistentIdentifier? {
      guard one.integerKey != nil || remapped[one] != nil else {
        throw DataStoreError(.invalidValue, "a reference to \(one), which is not saved along")
      }
      return rows[(remapped[one] ?? one).number]?.persistentIdentifier
    }
    return try record.values.map { value in
      switch value {
      case .identifier(let one): return try stored(one).map { .identifier($0) } ?? .null
      case .identifiers(let list):
        var members: [PersistentIdentifier] = []
        for one in try list.compactMap(stored) where !members.contains(one) { members.append(one) }
        return .identifiers(members)
      default: return value
      }
    }
  }
}

extension PersistentIdentifier {
  /// The number by which a folder knows a row, 0 for one that it does not.
  var number: Int { integerKey.map(Int.init) ?? 0 }
}
