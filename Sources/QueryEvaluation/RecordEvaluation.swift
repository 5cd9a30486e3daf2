import StoreProtocol

/// Evaluates queries over records that a store returned unfiltered.
package struct RecordEvaluation {
  /// A closure that fetches records of an entity by identifier.
  package typealias Records = ([PersistentIdentifier], String) throws -> [DefaultSnapshot]
  /// A closure that fetches the related objects of a to-many relationship of an entity's rows.
  package typealias Members = (String, String, [PersistentIdentifier]) throws
    -> [PersistentIdentifier: [PersistentIdentifier]]

  private let schema: StoreSchema
  private let records: Records
  private let members: Members

  /// Creates an evaluator over the records of a schema, which requests the records that expressions
  /// refer to.
  package init(schema: StoreSchema, records: @escaping Records, members: @escaping Members) {
    self.schema = schema
    self.records = records
    self.members = members
  }

  /// The evaluator of expressions over records.
  package var evaluator: QueryEvaluator<SnapshotRow> {
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

  /// Filters and sorts records, and applies the window.
  package func evaluate(
    _ query: StoreQuery,
    over all: [DefaultSnapshot]
  ) throws -> [DefaultSnapshot] {
    try evaluator.evaluate(query, over: all.map(row(of:))).map(\.record)
  }

  /// Returns a record as a row of its entity.
  package func row(of record: DefaultSnapshot) throws -> SnapshotRow {
    SnapshotRow(record, try schema.requiredEntity(record.persistentIdentifier.entityName))
  }

  /// Computes a selection over the records of its rows.
  package func select(
    _ selection: StoreSelection,
    from records: [DefaultSnapshot],
    _ body: ([StoreValue]) throws -> Void
  ) throws {
    var computed = try SelectionEvaluator(selection, evaluator: evaluator)
    for record in records { try computed.add(row(of: record), body) }
    try computed.finish(body)
  }
}
