import QueryEvaluation
import StoreProtocol

extension SQLiteStore {
  /// Returns the SQL of a query and SQLite's plan for it.
  ///
  /// Nothing is changed; rows are counted up to a limit.
  public func explain(_ query: StoreQuery) throws -> StoreExplanation {
    try database.readSnapshot { connection in
      let plan = try QueryPlan(query, catalog: catalog, connection: connection)
      return try QueryExplainer(plan: plan, catalog: catalog, connection: connection).explanation()
    }
  }

  /// Returns how the rows of a selection are found, and where its values are computed.
  public func explain(_ selection: StoreSelection) throws -> StoreExplanation {
    try selection.check()
    return try database.readSnapshot { connection in
      let reader = QueryReader(catalog: catalog, connection: connection)
      let plan = try SelectionReader(reader: reader).plan(of: selection)
      let explainer = QueryExplainer(plan: plan, catalog: catalog, connection: connection)
      return try explainer.explanation(of: selection)
    }
  }
}
