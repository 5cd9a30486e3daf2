import QueryEvaluation
import StoreHelpers
import StoreProtocol

/// The data that a store derives once from its schema.
package struct Catalog: Sendable {
  package let schema: StoreSchema
  private let scopes: [String: PersistentIdentifier.Scope]
  private let constraints: [String: [StoreConstraint]]

  package init(_ schema: StoreSchema, storeIdentifier: String) {
    self.init(
      schema,
      storeIdentifier: storeIdentifier,
      Dictionary(
        uniqueKeysWithValues: schema.entities.map { ($0.name, schema.constraints(of: $0)) }
      )
    )
  }

  private init(
    _ schema: StoreSchema,
    storeIdentifier: String,
    _ constraints: [String: [StoreConstraint]]
  ) {
    self.schema = schema
    self.constraints = constraints
    scopes = Dictionary(
      uniqueKeysWithValues: schema.entities.map(\.name).map {
        ($0, .init(storeIdentifier: storeIdentifier, entityName: $0))
      }
    )
  }

  /// Returns the catalog of another store with the same schema, which shares its parts.
  package func shared(byStore identifier: String) -> Catalog {
    Catalog(schema, storeIdentifier: identifier, constraints)
  }

  package func identifier(_ key: Int64, of entity: StoreEntity) -> PersistentIdentifier {
    PersistentIdentifier(scope: scope(of: entity), key: .integer(key))
  }

  /// The scope of an entity's identifiers.
  package func scope(of entity: StoreEntity) -> PersistentIdentifier.Scope {
    scopes[entity.name] ?? .init(storeIdentifier: nil, entityName: entity.name)
  }

  /// Returns the values that no other row may have.
  package func uniqueValues(of row: DefaultSnapshot) -> [UniqueValues] {
    let constraints = constraints[row.persistentIdentifier.entityName] ?? []
    return constraints.compactMap { UniqueValues($0, of: row) }
  }

  /// Returns the row in the form that the evaluator uses.
  package func queryRow(_ row: DefaultSnapshot) throws -> SnapshotRow {
    SnapshotRow(row, try schema.requiredEntity(row.persistentIdentifier.entityName))
  }
}

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
