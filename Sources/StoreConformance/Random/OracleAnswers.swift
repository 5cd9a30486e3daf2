import StoreProtocol

/// Answers queries over what an oracle holds, by the evaluator.
struct OracleAnswers {
  private let rows: [SnapshotRow]
  private let evaluator: QueryEvaluator<SnapshotRow>

  init(_ oracle: Oracle) throws {
    let rows = try oracle.rows.map { identifier, values in
      let entity = try Sample.entity(identifier.entityName)
      let record = DefaultSnapshot(
        persistentIdentifier: identifier,
        entity: entity,
        values: entity.properties.map { values[$0.name] ?? .null }
      )
      return SnapshotRow(record, entity)
    }
    let byKey = Dictionary(uniqueKeysWithValues: rows.map { ($0.identifier.key, $0) })
    self.rows = rows
    evaluator = QueryEvaluator(
      schema: Sample.schema.storeSchema,
      row: { byKey[$0.key] },
      members: { oracle.members($0.entity.properties[$1], of: $0.identifier) }
    )
  }

  /// The identifiers that the contract gives for a query.
  func answer(_ query: StoreQuery) throws -> [PersistentIdentifier] {
    try evaluator.answer(query, over: rows).map(\.identifier)
  }
}
