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
      store,
      result.version,
      save: result.isInHistory ? save : nil
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

  /// The contents of a notification of the save.
  var userInfo: [AnyHashable: Any] {
    // No key is hashed, nor compared with another, for each save anew.
    Self.contents.mapValues { content -> Any in
      switch content {
      case .inserted: inserted
      case .updated: updated
      case .deleted: deleted
      case .tokens: tokens
      }
    }
  }

  private enum Content { case inserted, updated, deleted, tokens }

  private typealias Key = ModelContext.NotificationKey

  // Unsafe because of its type alone: nothing writes to it, and its keys are texts.
  nonisolated(unsafe) private static let contents: [AnyHashable: Content] = [
    Key.insertedIdentifiers.rawValue: .inserted,
    Key.updatedIdentifiers.rawValue: .updated,
    Key.deletedIdentifiers.rawValue: .deleted,
    Key.historyTokens.rawValue: .tokens,
  ]
}
