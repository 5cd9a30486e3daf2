import QueryEvaluation
import StoreProtocol

extension SQLiteStore {
  /// Returns the SQL of a request and SQLite's plan for it; for a selection, also where its values are computed.
  func explanation(of request: StorePlan.Request) throws -> StoreExplanation {
    if case .selection(let selection) = request { return try explanation(of: selection) }
    return try database.readSnapshot { connection in
      let plan = try QueryPlan(request.query, catalog: catalog, connection: connection)
      return try QueryExplainer(plan: plan, catalog: catalog, connection: connection).explanation()
    }
  }

  private func explanation(of selection: StoreSelection) throws -> StoreExplanation {
    try selection.check()
    return try database.readSnapshot { connection in
      let reader = QueryReader(catalog: catalog, connection: connection)
      let plan = try SelectionReader(reader: reader).plan(of: selection)
      let explainer = QueryExplainer(plan: plan, catalog: catalog, connection: connection)
      return try explainer.explanation(of: selection)
    }
  }
}
