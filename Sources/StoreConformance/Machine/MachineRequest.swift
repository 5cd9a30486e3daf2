import StoreProtocol

/// A batch in the identifiers of a store.
struct MachineRequest {
  private(set) var changes: StoreChanges
  /// The new records with their numbers.
  let records: [(number: Int64, record: DefaultSnapshot)]
  /// The temporary identifiers of the new records.
  let temporary: [Int64: PersistentIdentifier]
  private let model: ContractModel
  private let names: MachineNames

  init(
    _ batch: MachineBatch,
    _ model: ContractModel,
    _ names: MachineNames,
    nextKey: Int64?
  ) throws {
    let temporary = Dictionary(
      lastOf: batch.inserted.map { ($0.number, PersistentIdentifier.temporary(of: $0.entity)) }
    )
    func own(_ value: StoreValue) -> StoreValue {
      value.mappingReferences { one in
        let number = one.integerKey ?? 0
        return temporary[number]
          ?? names.own(DifferentialRow.identifier(model.row(of: number), one.entityName))
      }
    }
    records = try batch.inserted.compactMap { row in
      let entity = try model.schema.requiredEntity(row.entity)
      return temporary[row.number].map { identifier in
        let values = entity.properties.map { own(row.value(of: $0)) }
        let record = DefaultSnapshot(
          persistentIdentifier: identifier,
          entity: entity,
          values: values
        )
        return (number: row.number, record: record)
      }
    }
    (self.model, self.names, self.temporary) = (model, names, temporary)
    changes = StoreChanges(
      bulkChanges: batch.bulk.map(\.change),
      inserted: records.map(\.record),
      editingState: EditingState(author: batch.author)
    )
    changes.updated = batch.updated.compactMap { row in
      identifier(row.number).map { update($0, row.values.mapValues(own)) }
    }
    changes.deleted = batch.deleted.compactMap(identifier)
    try setOptions(batch)
    if let nextKey { setKeys(batch, from: nextKey) }
    if batch.isProduced { changes = try changes.produced(model.schema, in: names.store) }
  }

  private func identifier(_ number: Int64) -> PersistentIdentifier? {
    names.identifiers[model.row(of: number)]
  }

  private mutating func setOptions(_ batch: MachineBatch) throws {
    changes.requiresNew = batch.requiresNew
    if batch.protects { changes.protectedReferences = Set(ContractModel.protected) }
    changes.cascaded = Set(batch.cascaded.compactMap(identifier))
    for (number, properties) in batch.cleared {
      guard let row = identifier(number), let entity = model.schema.entity(named: row.entityName)
      else { continue }
      changes.cleared[row] = properties.compactMap { entity.indexByName[$0] }
    }
    for (number, isCurrent) in batch.expecting {
      guard let row = identifier(number) else { continue }
      let version = model.rows[model.row(of: number)]?.version ?? 1
      let other = number.isMultiple(of: 2) ? version + 1 : version - 1
      changes.expectedVersions[row] = isCurrent ? version : other
    }
    changes.readers = batch.readers.compactMap { model.history.position($0.key, at: $0.value) }
    if batch.isSpoiled { try spoil() }
  }

  private mutating func spoil() throws {
    if records.isEmpty {
      let missing = PersistentIdentifier(.integer(1 << 40), of: "Box", in: names.store)
      changes.updated.append(update(missing, ["name": .string("x")]))
    } else if let row = changes.updated.first?.identifier,
      model.schema.isEntity(row.entityName, kindOf: "Item")
    {
      // A merged record may replace a reference, but not a list.
      let mayMerge = records.contains {
        model.schema.isEntity($0.record.persistentIdentifier.entityName, kindOf: "Item")
      }
      let values: [String: StoreValue] =
        mayMerge
        ? ["peers": .identifiers([.temporary(of: "Item")])]
        : ["box": .identifier(.temporary(of: "Box"))]
      changes.updated.append(update(row, values))
    } else {
      let entity = try model.schema.requiredEntity("Slot")
      let values = entity.properties.map { property in
        property.name == "box"
          ? .identifier(.temporary(of: "Box")) : SampleTypes.zero(of: property)
      }
      let new = PersistentIdentifier.temporary(of: "Slot")
      changes.inserted.append(
        DefaultSnapshot(persistentIdentifier: new, entity: entity, values: values)
      )
    }
  }

  private mutating func setKeys(_ batch: MachineBatch, from nextKey: Int64) {
    var key = nextKey
    for (number, record) in records {
      if let gap = batch.keys[number] {
        key += gap
        changes.keys[record.persistentIdentifier] = key
      }
      key += 1
    }
    changes.nextKey = batch.nextKey.map { nextKey + $0 }
  }

  private func update(
    _ identifier: PersistentIdentifier,
    _ values: [String: StoreValue]
  ) -> StoreUpdate {
    let entity = model.schema.entity(named: identifier.entityName)
    let changes = values.compactMap { name, value in
      entity?.indexByName[name].map { StoreUpdate.Change($0, value) }
    }
    return StoreUpdate(identifier: identifier, changes: changes.sorted { $0.index < $1.index })
  }
}

extension MachineBatch.Bulk {
  /// The change for a store.
  fileprivate var change: BulkChange {
    let query = StoreQuery(
      entity: entity,
      includesSubentities: includesSubentities,
      filter: least.map { .row("count", .greaterOrEqual, .integer($0)) }
    )
    if isDeletion { return .delete(query) }
    let sum = QueryExpression.arithmetic(.add, .row("count"), .integer(1), .int64)
    return .update(query, [StoreAssignment("count", sum)])
  }
}
