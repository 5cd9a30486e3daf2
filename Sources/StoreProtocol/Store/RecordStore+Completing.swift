extension RecordStore {
  /// Computes the values over the rows that ``fetch(_:)`` gives.
  public func select(
    _ selection: StoreSelection,
    _ body: ([StoreValue]) throws -> Void
  ) throws {
    var evaluator = try SelectionEvaluator(selection, evaluator: rowEvaluator())
    var query = selection.query
    if selection.groups != nil {
      query.sort = []
      query.offset = 0
      query.limit = nil
    }
    for record in try fetch(query) { try evaluator.add(row(of: record), body) }
    try evaluator.finish(body)
  }

  /// Takes what the store's capabilities call native; rows by identity every store gives.
  public func part(of query: StoreQuery) throws -> StoreQueryPart {
    let filters = capabilities.filtering == .native || query.identifiers != nil
    return StoreQueryPart(
      filter: filters ? query.filter : nil,
      remaining: filters ? nil : query.filter,
      sorts: capabilities.sorting == .native || query.sort.isEmpty
    )
  }

  /// Says what ``part(of:)`` says.
  public func explain(_ query: StoreQuery) throws -> StoreExplanation {
    let part = try part(of: query)
    return StoreExplanation(
      store: "\(Self.self)",
      nativeFilter: part.filter,
      remainingFilter: part.remaining,
      sortsNatively: part.sorts
    )
  }

  /// Says how the rows are found; the values are computed over them.
  public func explain(_ selection: StoreSelection) throws -> StoreExplanation {
    var query = selection.query
    if selection.groups != nil { query.sort = [] }
    var explanation = try explain(query)
    if selection.groups != nil {
      explanation.steps.append("the groups are computed over the rows, one by one")
    }
    return explanation
  }

  /// An evaluator that asks the store for the rows that expressions lead to.
  package func rowEvaluator() -> QueryEvaluator<SnapshotRow> {
    QueryEvaluator<SnapshotRow>(
      schema: schema.storeSchema,
      row: { identifier in
        try self.fetch(.rows([identifier], of: identifier.entityName)).first.map(self.row(of:))
      },
      members: { row, index in
        let property = row.entity.properties[index].name
        let found = try self.members(of: property, in: row.entity.name, owners: [row.identifier])
        return found[row.identifier] ?? []
      }
    )
  }

  package func row(of record: DefaultSnapshot) throws -> SnapshotRow {
    let name = record.persistentIdentifier.entityName
    guard let entity = schema.storeSchema.entity(named: name) else {
      throw DataStoreError(.schemaMismatch, "the schema lacks this entity", entity: name)
    }
    return SnapshotRow(record, entity)
  }
}
