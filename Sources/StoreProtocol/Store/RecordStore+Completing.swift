extension RecordStore {
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

  /// Returns a part with nothing, which leaves all such changes to the layer above.
  public func part(of change: BulkChange) throws -> StoreQueryPart {
    StoreQueryPart(noneOf: change.query)
  }

  /// Returns the plan that corresponds to ``RecordStore/part(of:)-(StoreQuery)``.
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
}
