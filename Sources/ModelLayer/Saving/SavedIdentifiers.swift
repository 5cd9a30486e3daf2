import Foundation
import StoreProtocol

/// The identifiers of the objects that a save changed.
struct SavedIdentifiers {
  var inserted: [PersistentIdentifier] = []
  var updated: [PersistentIdentifier] = []
  var deleted: [PersistentIdentifier] = []
  /// Whether new objects became updates of stored ones.
  var hasMerged = false
  /// The position of the save in the history of each store that keeps one.
  private(set) var tokens: [String: any HistoryToken] = [:]
  /// The changes by row and property, if there are observers.
  private(set) var changes: SavedChanges?

  /// Creates an empty report.
  init() {}

  /// Creates a report of all changes that a store was to apply, with its result.
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

  /// Notes the position of a save in the history of a store.
  ///
  /// - Parameters:
  ///   - save: The identifier of the save.
  ///   - result: The result of the store.
  ///   - store: The store.
  mutating func note(_ save: UUID, _ result: StoreChangesResult, of store: any RecordStore) {
    guard store is any HistoryKeeping, store.capabilities.history.isSupported else { return }
    tokens[store.identifier] = DefaultHistoryToken(
      store.identifier,
      result.version,
      save: result.isInHistory ? save : nil
    )
  }

  /// Notes the changes of a store by row and property.
  ///
  /// - Parameters:
  ///   - asked: The changes that the store was to apply.
  ///   - result: The result of the store.
  ///   - schema: The entities.
  ///   - requiredValues: Returns available values of a stored row that the save does not change.
  mutating func note(
    _ asked: StoreChanges,
    _ result: StoreChangesResult,
    schema: StoreSchema,
    requiredValues: (PersistentIdentifier) -> [StoreUpdate.Change]
  ) {
    var noted = changes ?? SavedChanges()
    noted.note(asked, result, schema: schema, requiredValues: requiredValues)
    changes = noted
  }

  /// Notes that rows changed that no object of the saving context has.
  mutating func noteUnseen() { changes?.noteUnseen() }
}
