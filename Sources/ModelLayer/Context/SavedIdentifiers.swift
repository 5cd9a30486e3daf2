import Foundation
import StoreProtocol

/// The identifiers of what a save did.
struct SavedIdentifiers {
  var inserted: [PersistentIdentifier] = []
  var updated: [PersistentIdentifier] = []
  var deleted: [PersistentIdentifier] = []
  /// Whether new objects became updates of stored ones.
  var hasMerged = false
  /// Where the save stands in the history of each store that keeps one.
  private(set) var tokens: [String: any HistoryToken] = [:]
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

  /// Notes where a save stands in the history of a store.
  ///
  /// - Parameters:
  ///   - save: The identifier of the save.
  ///   - result: What the store did.
  ///   - backend: The store.
  mutating func note(_ save: UUID, _ result: StoreChangesResult, of backend: any StoreBackend) {
    guard backend.keepsHistory else { return }
    let store = backend.identifier
    tokens[store] = DefaultHistoryToken(
      tokenValue: [store: result.version],
      saveIdentifiers: result.isInHistory ? [store: save] : [:]
    )
  }

  /// Notes by row and property what a store was asked, and did.
  ///
  /// - Parameters:
  ///   - asked: What the store was asked.
  ///   - result: What it did.
  ///   - schema: The entities.
  ///   - known: Returns values of a stored row that are known and that the save does not change.
  mutating func note(
    _ asked: StoreChanges,
    _ result: StoreChangesResult,
    schema: StoreSchema,
    known: (PersistentIdentifier) -> [StoreUpdate.Change]
  ) {
    var noted = changes ?? SavedChanges()
    noted.note(asked, result, schema: schema, known: known)
    changes = noted
  }

  var userInfo: [AnyHashable: Any] {
    // What is empty stands there already: mostly one of the lists has something.
    var info = Self.nothing
    if !inserted.isEmpty { info[Self.keys.inserted] = inserted }
    if !updated.isEmpty { info[Self.keys.updated] = updated }
    if !deleted.isEmpty { info[Self.keys.deleted] = deleted }
    if !tokens.isEmpty { info[Self.keys.tokens] = tokens }
    return info
  }

  private typealias Key = ModelContext.NotificationKey

  // Unsafe because of its type alone: nothing writes to it, and what is in it are empty values.
  nonisolated(unsafe) private static let nothing: [AnyHashable: Any] = [
    keys.inserted: [PersistentIdentifier](),
    keys.updated: [PersistentIdentifier](),
    keys.deleted: [PersistentIdentifier](),
    keys.tokens: [String: any HistoryToken](),
  ]

  // Unsafe because of its type alone: these are texts.
  nonisolated(unsafe) private static let keys = (
    inserted: AnyHashable(Key.insertedIdentifiers.rawValue),
    updated: AnyHashable(Key.updatedIdentifiers.rawValue),
    deleted: AnyHashable(Key.deletedIdentifiers.rawValue),
    tokens: AnyHashable(Key.historyTokens.rawValue)
  )
}
