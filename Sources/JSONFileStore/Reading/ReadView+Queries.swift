import StoreProtocol

extension ReadView {
  /// Answers by the rows of this state.
  var evaluator: QueryEvaluator<StoredRow> {
    QueryEvaluator<StoredRow>(
      schema: map.schema,
      row: { try self.find($0) },
      members: { try self.members(of: $1, owner: $0) }
    )
  }

  /// The rows that answer a query, in order.
  ///
  /// - Throws: Also what reading files of values met.
  func found(_ query: StoreQuery) throws -> FoundRows {
    let found = try plan(query).found()
    try check()
    return found
  }

  /// The rows that answer a query, in order, each as a value.
  func rows(_ query: StoreQuery) throws -> [StoredRow] { try found(query).rows(in: self) }

  /// The number of rows that answer a query.
  func count(_ query: StoreQuery) throws -> Int {
    var unsorted = query
    unsorted.sort = []
    let count = try plan(unsorted).count()
    try check()
    return count
  }

  /// How the store answers a query.
  func explain(_ query: StoreQuery) throws -> StoreExplanation { try plan(query).explanation() }

  private func plan(_ query: StoreQuery) throws -> QueryPlan {
    for index in try family(of: query) { try prepare(index) }
    return try QueryPlan(query, in: self)
  }

  /// The tables whose rows a query asks for.
  func family(of query: StoreQuery) throws -> [Int] {
    query.includesSubentities
      ? try map.family(of: query.entity) : [try map.table(of: query.entity)]
  }

  /// Orders rows of several tables by key.
  func sortedByKey(_ rows: [StoredRow]) -> [StoredRow] {
    rows.map { ($0.source.table.keys[$0.slot], $0) }.sorted { $0.0 < $1.0 }.map(\.1)
  }
}
