extension StoreQuery {
  /// The same rows without order and window.
  package var withoutOrder: StoreQuery {
    StoreQuery(entity: entity, includesSubentities: includesSubentities, filter: filter)
  }
}

extension StoreSelection {
  /// The rows that are looked at: those of the query, or, where they are put into groups, all that
  /// pass its filter, in the order of their identifiers.
  package var rowQuery: StoreQuery { groups == nil ? query : query.withoutOrder }
}

extension QueryEvaluator {
  /// Gives the answer of a selection over rows, one row of the answer after the other.
  package func answer(
    _ selection: StoreSelection,
    over rows: some Sequence<Row>,
    _ body: ([StoreValue]) throws -> Void
  ) throws {
    var computed = try SelectionEvaluator(selection, evaluator: self)
    for row in try answer(selection.rowQuery, over: rows) { try computed.add(row, body) }
    try computed.finish(body)
  }
}
