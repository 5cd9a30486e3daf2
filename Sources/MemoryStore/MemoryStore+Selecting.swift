import QueryEvaluation
import RowChanges
import StoreProtocol

extension MemoryStore {
  public func select(
    _ selection: StoreSelection,
    _ body: ([StoreValue]) throws -> Void
  ) throws {
    let rows = state.rows
    let candidates = try candidates(selection.rowQuery, in: rows)
    try evaluator(of: rows).evaluate(selection, over: candidates, body)
  }

  /// Returns all of a query or a selection, and nothing of a bulk change.
  public func plan(_ request: StorePlan.Request, explained: Bool) throws -> StorePlan {
    if case .change = request { return StorePlan(noneOf: request) }
    return StorePlan(allOf: request, explanation: explained ? try explanation(of: request) : nil)
  }

  /// Returns a plan in which every row is examined; the store has no index.
  private func explanation(of request: StorePlan.Request) throws -> StoreExplanation {
    let query = request.query
    let count = try candidates(query, in: state.rows).count
    let way = query.identifiers == nil ? "by scanning the store" : "by identity"
    var explanation = StoreExplanation(
      store: "MemoryStore",
      nativeFilter: query.filter,
      sortsNatively: true,
      steps: ["\(count) rows \(way), each tested by the evaluator"]
        + (query.sort.isEmpty ? [] : ["sorted in memory"]),
      rowsExamined: .rows(count)
    )
    guard case .selection(let selection) = request else { return explanation }
    explanation.steps.append(
      selection.groups == nil
        ? "the values are read from the rows" : "the groups are computed row by row"
    )
    return explanation
  }
}
