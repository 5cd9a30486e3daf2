extension RecordStore {
  /// Computes the values over the rows of ``fetch(_:)``.
  public func select(
    _ selection: StoreSelection,
    _ body: ([StoreValue]) throws -> Void
  ) throws {
    try evaluation.select(selection, from: fetch(selection.rowQuery), body)
  }

  /// Returns the part that the store's capabilities declare as native; every store selects rows by
  /// identifier.
  public func part(of query: StoreQuery) throws -> StoreQueryPart {
    let filters = capabilities.filtering == .native || query.identifiers != nil
    return StoreQueryPart(
      filter: filters ? query.filter : nil,
      remaining: filters ? nil : query.filter,
      sorts: capabilities.sorting == .native || query.sort.isEmpty
    )
  }

  /// Returns the plan that corresponds to ``part(of:)``.
  public func explain(_ query: StoreQuery) throws -> StoreExplanation {
    let part = try part(of: query)
    return StoreExplanation(
      store: "\(Self.self)",
      nativeFilter: part.filter,
      remainingFilter: part.remaining,
      sortsNatively: part.sorts
    )
  }

  /// Returns the plan for the rows; the values are computed over them.
  public func explain(_ selection: StoreSelection) throws -> StoreExplanation {
    var explanation = try explain(selection.rowQuery)
    if selection.groups != nil {
      explanation.steps.append("the groups are computed over the rows, one by one")
    }
    return explanation
  }

  /// An evaluator for the parts that the store leaves, over its records.
  package var evaluation: RecordEvaluation {
    RecordEvaluation(
      schema: schema.storeSchema,
      records: { try self.fetch(.rows($0, of: $1)) },
      members: { try self.members(of: $0, in: $1, owners: $2) }
    )
  }
}
