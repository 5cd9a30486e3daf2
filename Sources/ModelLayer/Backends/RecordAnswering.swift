import StoreProtocol

/// Answers queries over records that a store gave unfiltered.
struct RecordAnswering {
  /// The schema of the records.
  let schema: StoreSchema
  /// Fetches records by identifier.
  let records: ([PersistentIdentifier], String) throws -> [DefaultSnapshot]
  /// Fetches the members of to-many relationships.
  let members:
    (String, String, [PersistentIdentifier]) throws
      -> [PersistentIdentifier: [PersistentIdentifier]]

  /// Evaluates expressions over records.
  var evaluator: QueryEvaluator<SnapshotRow> {
    QueryEvaluator<SnapshotRow>(
      schema: schema,
      row: { identifier in
        try records([identifier], identifier.entityName).first.map(row(of:))
      },
      members: { row, index in
        let property = row.entity.properties[index].name
        return try members(property, row.entity.name, [row.identifier])[row.identifier] ?? []
      }
    )
  }

  /// Filters, sorts and takes the window.
  func answer(_ query: StoreQuery, over all: [DefaultSnapshot]) throws -> [DefaultSnapshot] {
    try evaluator.answer(query, over: all.map(row(of:))).map(\.record)
  }

  /// A record as a row of its entity.
  func row(of record: DefaultSnapshot) throws -> SnapshotRow {
    let name = record.persistentIdentifier.entityName
    guard let entity = schema.entity(named: name) else {
      throw DataStoreError(.schemaMismatch, "the schema lacks this entity", entity: name)
    }
    return SnapshotRow(record, entity)
  }
}

extension StoreQuery {
  /// The same rows without order and window.
  var withoutOrder: StoreQuery {
    StoreQuery(entity: entity, includesSubentities: includesSubentities, filter: filter)
  }
}
