import ModelRuntime
import StoreProtocol

extension SavedChanges {
  /// The most rows that are noted one by one; a file of a few bytes can state thousands of millions.
  private static let mostRows = 1 << 22

  /// Reads the changes of some saves from a store's history.
  ///
  /// Returns `nil` if the history lacks one of the saves, or if they changed too many rows.
  init?(_ saves: ClosedRange<Int64>, of store: any RecordStore) {
    guard let history = HistoryStore(store),
      let transactions = try? history.transactions(in: saves), transactions.count == saves.count,
      transactions.reduce(0, { $0 + $1.changeCount }) <= Self.mostRows
    else { return nil }
    self.init()
    let schema = store.schema.storeSchema
    for change in transactions.flatMap(\.changes) { note(change, schema) }
  }

  private mutating func note(_ change: HistoryChange, _ schema: StoreSchema) {
    let row = change.changedPersistentIdentifier
    switch change {
    case .insert: noteInsertion(of: row, schema)
    case .delete: noteDeletion(of: row, schema)
    case .update(let update):
      let entity = schema.entity(named: row.entityName)
      noteUpdate(of: row, entity.map { Self.bits(of: update, $0) } ?? Self.allProperties, schema)
    }
  }

  /// Returns the bits of the properties that a change names, or all if it names none, or an unknown
  /// one.
  private static func bits(of update: some HistoryUpdate, _ entity: StoreEntity) -> UInt64 {
    var bits: UInt64 = 0
    for keyPath in update.updatedAttributes {
      guard let name = ModelLayout.nameOfProperty(at: keyPath),
        let index = entity.indexByName[name]
      else { return allProperties }
      bits |= _ModelState.bit(index)
    }
    return bits == 0 ? allProperties : bits
  }
}
