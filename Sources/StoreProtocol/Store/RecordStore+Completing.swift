extension RecordStore {
  /// Computes the values over the rows that ``fetch(_:)`` gives.
  public func select(
    _ selection: StoreSelection,
    _ body: ([StoreValue]) throws -> Void
  ) throws {
    try answering.select(selection, from: fetch(selection.rowQuery), body)
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
    var explanation = try explain(selection.rowQuery)
    if selection.groups != nil {
      explanation.steps.append("the groups are computed over the rows, one by one")
    }
    return explanation
  }

  /// What the store leaves, done over records that it gives.
  package var answering: RecordAnswering {
    RecordAnswering(
      schema: schema.storeSchema,
      records: { try self.fetch(.rows($0, of: $1)) },
      members: { try self.members(of: $0, in: $1, owners: $2) }
    )
  }
}
