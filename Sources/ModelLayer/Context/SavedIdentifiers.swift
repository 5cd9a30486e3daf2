import StoreProtocol

/// The identifiers of what a save did.
struct SavedIdentifiers {
  var inserted: [PersistentIdentifier] = []
  var updated: [PersistentIdentifier] = []
  var deleted: [PersistentIdentifier] = []
  /// Whether new objects became updates of stored ones.
  var hasMerged = false
  /// The same by row and property, where anybody observes.
  private(set) var changes: SavedChanges?

  /// Nothing yet.
  init() {}

  /// All that a store was asked, and did.
  init(_ changes: StoreChanges, _ result: StoreChangesResult) {
    deleted = result.deleted + changes.deleted
    updated = result.updated + changes.updated.map(\.identifier)
    for record in changes.inserted {
      let temporary = record.persistentIdentifier
      guard let permanent = result.remapped[temporary] else { continue }
      if result.merged.contains(temporary) {
        updated.append(permanent)
      } else {
        inserted.append(permanent)
      }
    }
  }

  /// Notes by row and property what a store was asked, and did.
  mutating func note(_ asked: StoreChanges, _ result: StoreChangesResult, schema: StoreSchema) {
    var noted = changes ?? SavedChanges()
    noted.note(asked, result, schema: schema)
    changes = noted
  }

  var userInfo: [AnyHashable: Any] {
    [
      ModelContext.NotificationKey.insertedIdentifiers.rawValue: inserted,
      ModelContext.NotificationKey.updatedIdentifiers.rawValue: updated,
      ModelContext.NotificationKey.deletedIdentifiers.rawValue: deleted,
    ]
  }
}
