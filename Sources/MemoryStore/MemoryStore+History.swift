import Foundation
import RowChanges
import StoreHelpers
import StoreProtocol

extension MemoryStore {
  /// Records a save in the history, with its changes, or `nil` if the history keeps none.
  func record(
    _ changes: StoreChanges,
    _ result: inout StoreChangesResult,
    _ groups: [HistoryGroup]?,
    _ history: inout HistoryLog<HistoryRecord>
  ) {
    for reader in changes.readers { history.set(reader) }
    let save = result.version
    guard let groups else { return history.cutAll(at: save, save: changes.saveIdentifier) }
    guard !groups.isEmpty else {
      result.isInHistory = false
      return
    }
    history.append(
      HistoryRecord(
        number: save,
        save: changes.saveIdentifier,
        author: changes.editingState.author,
        origin: changes.origin,
        groups: groups
      )
    )
    history.prune(configuration.history.retention, last: save)
  }

  public func transactions(_ query: StoreHistoryQuery) throws -> [StoreTransaction] {
    state.history.entries(query).map {
      $0.transaction(storeIdentifier: identifier)
    }
  }

  public func deleteTransactions(_ filter: StoreHistoryFilter?) throws {
    storage.change { _, history in history.delete(filter) }
  }

  public func historyBounds() throws -> HistoryBounds {
    let state = state
    return state.history.bounds(last: state.rows.lastSave, in: identifier)
  }

  public func historyReaders() throws -> [HistoryReaderPosition] { state.history.sortedReaders }

  public func setHistoryReader(_ position: HistoryReaderPosition) throws {
    storage.change { _, history in history.set(position) }
  }

  public func removeHistoryReader(_ name: String) throws {
    storage.change { _, history in history.removeReader(name) }
  }

  public func saveIdentifier(at number: Int64) throws -> UUID? {
    state.history.saveIdentifier(at: number, in: identifier)
  }
}
