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

  /// Filters, sorts and takes the window.
  func answer(_ query: StoreQuery, over all: [DefaultSnapshot]) throws -> [DefaultSnapshot] {
    let rows = try all.map(row(of:))
    let evaluator = QueryEvaluator<SnapshotRow>(
      schema: schema,
      row: { identifier in
        try records([identifier], identifier.entityName).first.map(row(of:))
      },
      members: { row, index in
        let property = row.entity.properties[index].name
        return try members(property, row.entity.name, [row.identifier])[row.identifier] ?? []
      }
    )
    return try evaluator.answer(query, over: rows).map(\.record)
  }

  private func row(of record: DefaultSnapshot) throws -> SnapshotRow {
    let name = record.persistentIdentifier.entityName
    guard let entity = schema.entity(named: name) else {
      throw DataStoreError(.schemaMismatch, "the schema lacks this entity", entity: name)
    }
    return SnapshotRow(record, entity)
  }
}
