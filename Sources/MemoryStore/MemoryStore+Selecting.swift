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

  /// Returns a plan in which every row is examined; the store has no index.
  public func explain(_ query: StoreQuery) throws -> StoreExplanation {
    let count = try candidates(query, in: state.rows).count
    let way = query.identifiers == nil ? "by scanning the store" : "by identity"
    return StoreExplanation(
      store: "MemoryStore",
      nativeFilter: query.filter,
      sortsNatively: true,
      steps: ["\(count) rows \(way), each tested by the evaluator"]
        + (query.sort.isEmpty ? [] : ["sorted in memory"]),
      rowsExamined: .rows(count)
    )
  }

  public func explain(_ selection: StoreSelection) throws -> StoreExplanation {
    var explanation = try explain(selection.rowQuery)
    explanation.steps.append(
      selection.groups == nil
        ? "the values are read from the rows" : "the groups are computed row by row"
    )
    return explanation
  }
}
