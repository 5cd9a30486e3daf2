import StoreProtocol

extension SQLiteStore {
  /// Says what SQLite is asked, and how it says that it would answer.
  ///
  /// Nothing is changed; rows are counted as far as that is cheap.
  public func explain(_ query: StoreQuery) throws -> StoreExplanation {
    try database.readSnapshot { connection in
      let plan = try QueryPlan(query, catalog: catalog, connection: connection)
      return try QueryExplainer(plan, catalog: catalog, connection: connection).explanation()
    }
  }

  /// Says how the rows of a selection are found, and where its values are computed.
  public func explain(_ selection: StoreSelection) throws -> StoreExplanation {
    try selection.check()
    return try database.readSnapshot { connection in
      let reader = QueryReader(catalog: catalog, connection: connection)
      let plan = try SelectionReader(reader: reader).plan(of: selection)
      let explainer = QueryExplainer(plan, catalog: catalog, connection: connection)
      return try explainer.explanation(of: selection)
    }
  }
}
