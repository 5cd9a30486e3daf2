import QueryEvaluation
import StoreHelpers
import StoreProtocol

/// The data that a store derives once from its schema.
package struct Catalog: Sendable {
  package let schema: StoreSchema
  private let scopes: [String: PersistentIdentifier.Scope]
  private let constraints: [String: [StoreConstraint]]
  /// The names of the properties that are part of any constraint.
  private let uniqueNames: Set<String>
  /// The names of the entities that have relationships.
  package let referringEntities: Set<String>

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
    uniqueNames = Set(constraints.values.joined().flatMap(\.properties))
    referringEntities = Set(
      schema.entities.filter { $0.properties.contains { $0.relationship != nil } }.map(\.name)
    )
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

  /// Returns whether an entity's properties can be part of values that no other row may have.
  func areUnique(_ properties: [Int], of entity: StoreEntity) -> Bool {
    properties.contains { index in
      entity.properties.indices.contains(index)
        && uniqueNames.contains(entity.properties[index].name)
    }
  }

  /// Returns the row in the form that the evaluator uses.
  package func queryRow(_ row: DefaultSnapshot) throws -> SnapshotRow {
    SnapshotRow(row, try schema.requiredEntity(row.persistentIdentifier.entityName))
  }
}

extension Catalog {
  /// Applies changes to the rows, to be committed or rolled back; rolls back if it throws.
  ///
  /// - Returns: The result, and the changes for the history, or `nil` if it keeps none.
  package func attempt(
    _ changes: StoreChanges,
    _ assigned: [PersistentIdentifier: PersistentIdentifier],
    _ rows: inout MemoryRows,
    _ content: HistoryOptions.Content
  ) throws -> (result: StoreChangesResult, recorder: HistoryRecorder?) {
    let result = StoreChangesResult(version: rows.lastSave + 1)
    var batch = MemoryBatch(catalog: self, assigned: assigned, result: result)
    if content != .off {
      let next = rows.lastKey + 1
      batch.recorder = HistoryRecorder(content, of: changes, firstNewKey: next)
    }
    // Swapped, not copied: a second owner would make the first change copy all rows.
    swap(&batch.rows, &rows)
    defer { swap(&batch.rows, &rows) }
    do {
      try batch.apply(changes)
    } catch {
      batch.rows.rollBack()
      throw error
    }
    return (batch.result, batch.recorder)
  }
}
