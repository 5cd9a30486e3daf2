import Foundation
import StoreProtocol

extension MemoryStore {
  /// Notes a save in the history.
  func record(
    _ changes: StoreChanges,
    _ result: inout StoreChangesResult,
    _ named: [Int64: [Int]],
    _ rows: MemoryRows,
    _ history: inout HistoryLog<HistoryRecord>
  ) {
    for reader in changes.readers { history.set(reader) }
    let options = configuration.history
    let save = result.version
    guard options.content != .off else {
      return history.cutAll(at: save, save: changes.saveIdentifier)
    }
    var recorder = HistoryRecorder(
      catalog.schema,
      options.content,
      changes.consequences,
      firstNewKey: rows.lastKeyBefore + 1
    )
    let merged = Set(result.merged.compactMap { result.remapped[$0]?.integerKey })
    var after: [Int64: DefaultSnapshot] = [:]
    for (key, before) in rows.changedRows {
      let cause = merged.contains(key) ? StoreChange.Cause.merge : .program
      note(key, before, rows, named[key] ?? [], cause, &recorder)
      if let before { recorder.before[key] = before }
      after[key] = rows.byKey[key]
    }
    guard !recorder.isEmpty else {
      result.isInHistory = false
      return
    }
    history.append(
      HistoryRecord(
        number: save,
        save: changes.saveIdentifier,
        author: changes.editingState.author,
        origin: changes.origin,
        groups: recorder.groups(after: after)
      )
    )
    history.prune(options.retention, last: save)
  }

  private func note(
    _ key: Int64,
    _ before: DefaultSnapshot?,
    _ rows: MemoryRows,
    _ named: [Int],
    _ cause: StoreChange.Cause,
    _ recorder: inout HistoryRecorder
  ) {
    let after = rows.byKey[key]
    guard let name = (before ?? after)?.persistentIdentifier.entityName,
      let entity = catalog.schema.entity(named: name)
    else { return }
    switch (before, after) {
    case (nil, _?): recorder.insert(key, of: name)
    case (_?, nil): recorder.delete(key, of: entity.name)
    case (let before?, let after?):
      // References that became nil because their row went; an order that lost a row is none.
      let cleared = entity.properties.indices.filter {
        !entity.properties[$0].isDerivedToMany && before.values[$0] != after.values[$0]
      }
      recorder.update(key, of: entity, named, cause: cause)
      for index in cleared where !named.contains(index) {
        // A reference to a row that is there still was cleared because a merged row took its place.
        var cause = StoreChange.Cause.deleteRule
        if case .identifier(let target) = before.values[index], let row = target.integerKey,
          rows.byKey[row] != nil
        {
          cause = .merge
        }
        recorder.update(key, of: entity, [index], cause: cause)
      }
    case (nil, nil): break
    }
  }

  public func transactions(_ query: StoreHistoryQuery) throws -> [StoreTransaction] {
    query.answer(over: place.history.log.entries).map {
      $0.transaction(storeIdentifier: identifier)
    }
  }

  public func deleteTransactions(_ filter: StoreHistoryFilter?) throws {
    place.change { _, history in history.delete(filter) }
  }

  public func historyBounds() throws -> HistoryBounds {
    let (log, last) = place.history
    return log.bounds(last: last, in: identifier)
  }

  public func historyReaders() throws -> [HistoryReaderPosition] { place.history.log.sortedReaders }

  public func setHistoryReader(_ position: HistoryReaderPosition) throws {
    place.change { _, history in history.set(position) }
  }

  public func removeHistoryReader(_ name: String) throws {
    place.change { _, history in history.removeReader(name) }
  }

  public func saveIdentifier(at number: Int64) throws -> UUID? {
    place.history.log.saveIdentifier(at: number, in: identifier)
  }
}
