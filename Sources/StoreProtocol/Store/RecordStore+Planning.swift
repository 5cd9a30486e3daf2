extension RecordStore {
  /// Returns the part that the store's capabilities declare as native; every store selects rows by
  /// identifier.
  public func plan(_ request: StorePlan.Request, explained: Bool) throws -> StorePlan {
    if case .change = request { return StorePlan(noneOf: request) }
    let query = request.query
    let filters = capabilities.filtering == .native || query.identifiers != nil
    return StorePlan(
      filter: filters ? query.filter : nil,
      remaining: filters ? nil : query.filter,
      sorts: capabilities.sorting == .native || query.sort.isEmpty
    )
  }

  /// Returns the part of a request that the store executes itself.
  package func plan(_ request: StorePlan.Request) throws -> StorePlan {
    try plan(request, explained: false)
  }

  /// Explains how a request is executed: in the store's own words, or by its plan.
  package func explain(_ request: StorePlan.Request) throws -> StoreExplanation {
    let plan = try plan(request, explained: true)
    if let explanation = plan.explanation { return explanation }
    var explanation = StoreExplanation(
      store: "\(Self.self)",
      nativeFilter: plan.filter,
      remainingFilter: plan.remaining,
      sortsNatively: plan.sorts
    )
    if case .selection(let selection) = request, selection.groups != nil {
      explanation.steps.append("the groups are computed over the rows, one by one")
    }
    return explanation
  }
}
