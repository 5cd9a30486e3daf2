import QueryEvaluation
import StoreProtocol

extension SQLiteStore {
  /// Returns the SQL of a request and SQLite's plan for it; for a selection, also where its values are computed.
  func explanation(of request: StorePlan.Request) throws -> StoreExplanation {
    if case .selection(let selection) = request { try selection.check() }
    return try database.readSnapshot { connection in
      let plan = try QueryPlan(request.query, catalog: catalog, connection: connection)
      let explainer = QueryExplainer(plan: plan, catalog: catalog, connection: connection)
      guard case .selection(let selection) = request else { return try explainer.explanation() }
      return try explainer.explanation(of: selection)
    }
  }
}
