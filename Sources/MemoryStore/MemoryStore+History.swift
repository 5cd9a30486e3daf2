import StoreProtocol

extension MemoryStore {
  /// Notes a save in the history.
  func record(
    _ changes: StoreChanges,
    _ save: Int64,
    _ named: [Int64: [Int]],
    _ rows: MemoryRows,
    _ history: inout HistoryLog<HistoryRecord>
  ) {
    let options = configuration.history
    guard options.content != .off else { return history.cutAll(at: save) }
    var recorder = HistoryRecorder(
      catalog.schema,
      options.content,
      firstNewKey: rows.lastKeyBefore + 1
    )
    var after: [Int64: DefaultSnapshot] = [:]
    for (key, before) in rows.changedRows {
      note(key, before, rows.byKey[key], named[key] ?? [], &recorder)
      if let before { recorder.before[key] = before }
      after[key] = rows.byKey[key]
    }
    guard !recorder.isEmpty else { return }
    history.append(
      HistoryRecord(
        number: save,
        author: changes.editingState.author,
        groups: recorder.groups(after: after)
      )
    )
    history.prune(options.retention, last: save)
  }

  private func note(
    _ key: Int64,
    _ before: DefaultSnapshot?,
    _ after: DefaultSnapshot?,
    _ named: [Int],
    _ recorder: inout HistoryRecorder
  ) {
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
      recorder.update(key, of: entity, named + cleared)
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
    return HistoryBounds(cut: log.cut, last: last)
  }
}
