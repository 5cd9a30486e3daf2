import StoreHelpers
import StoreProtocol

extension Catalog {
  /// Applies changes to the rows, to be committed or rolled back; rolls back if it throws.
  package func attempt(
    _ changes: StoreChanges,
    _ assigned: [PersistentIdentifier: PersistentIdentifier],
    _ rows: inout MemoryRows
  ) throws -> (result: StoreChangesResult, named: NamedChanges) {
    var batch = MemoryBatch(self, version: rows.lastSave + 1, assigned: assigned)
    // Swapped, not copied: a second owner would make the first change copy all rows.
    swap(&batch.rows, &rows)
    defer { swap(&batch.rows, &rows) }
    do {
      try batch.apply(changes)
    } catch {
      batch.rows.rollBack()
      throw error
    }
    return (batch.result, batch.named)
  }

  /// Returns the changes of an uncommitted batch, as the history keeps them, with those that a
  /// function adds.
  package func groups(
    _ changes: StoreChanges,
    _ result: StoreChangesResult,
    _ named: NamedChanges,
    _ rows: MemoryRows,
    _ content: HistoryOptions.Content,
    adding others: (inout HistoryRecorder) -> Void = { _ in }
  ) -> [HistoryGroup] {
    var recorder = HistoryRecorder(
      schema,
      content,
      changes.consequences,
      firstNewKey: rows.lastKeyBefore + 1
    )
    let merged = named.detached.union(
      result.merged.compactMap { result.remapped[$0]?.integerKey }
    )
    var after: [Int64: DefaultSnapshot] = [:]
    for (key, before) in rows.changedRows {
      let cause = merged.contains(key) ? StoreChange.Cause.merge : .program
      note(key, before, rows, named.properties[key] ?? [], cause, &recorder)
      if let before { recorder.before[key] = before }
      after[key] = rows.byKey[key]
    }
    others(&recorder)
    return recorder.groups(after: after)
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
      let entity = schema.entity(named: name)
    else { return }
    switch (before, after) {
    case (nil, _?): recorder.insert(key, of: name)
    case (_?, nil): recorder.delete(key, of: entity.name)
    case (let before?, let after?):
      // References that became nil because their row was deleted; an order that lost a row does not
      // count.
      let cleared = entity.properties.indices.filter {
        !entity.properties[$0].isDerivedToMany && before.values[$0] != after.values[$0]
      }
      recorder.update(key, of: entity, named, cause: cause)
      for index in cleared where !named.contains(index) {
        // A reference to an existing row was cleared because of a merged row.
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
}
