import QueryEvaluation
import StoreProtocol

extension ReadView {
  /// An evaluator over the rows of this state.
  var evaluator: QueryEvaluator<StoredRow> {
    QueryEvaluator<StoredRow>(
      schema: map.schema,
      row: { try self.find($0) },
      members: { try self.members(of: $1, owner: $0) }
    )
  }

  /// Returns the result of a query, in order.
  ///
  /// - Throws: The errors of planning and evaluating, including those of reading value files.
  func found(_ query: StoreQuery) throws -> FoundRows {
    let found = try QueryPlan(query, in: self).found()
    try check()
    return found
  }

  /// Returns the result of a query, in order, each row as a value.
  func rows(_ query: StoreQuery) throws -> [StoredRow] { try found(query).rows(in: self) }

  /// Returns the number of rows in the result of a query.
  func count(_ query: StoreQuery) throws -> Int {
    var unsorted = query
    unsorted.sort = []
    let count = try QueryPlan(unsorted, in: self).count()
    try check()
    return count
  }

  /// Returns the tables of a query.
  func family(of query: StoreQuery) throws -> [Int] {
    query.includesSubentities
      ? try map.family(of: query.entity) : [try map.table(of: query.entity)]
  }

  /// Sorts rows of several tables by key.
  func sortedByKey(_ rows: [StoredRow]) -> [StoredRow] {
    rows.map { ($0.source.table.keys[$0.slot], $0) }.sorted { $0.0 < $1.0 }.map(\.1)
  }
}
