extension StoreQuery {
  /// The same rows without order and window.
  package var withoutOrder: StoreQuery {
    StoreQuery(entity: entity, includesSubentities: includesSubentities, filter: filter)
  }
}

extension StoreSelection {
  /// The query for the rows from which the selection is computed.
  ///
  /// It is the selection's own, or, for groups, one for all rows that satisfy its filter.
  public var rowQuery: StoreQuery { groups == nil ? query : query.withoutOrder }
}

extension QueryEvaluator {
  /// Calls a closure with each row of the result of a selection, in order.
  ///
  /// - Parameters:
  ///   - selection: The selection.
  ///   - rows: The rows from which ``StoreSelection/rowQuery`` chooses.
  ///   - body: A closure that takes the values of one row of the result.
  /// - Throws: What reading the rows or the closure throws, and an error for a sum that does not fit.
  public func answer(
    _ selection: StoreSelection,
    over rows: some Sequence<Row>,
    _ body: ([StoreValue]) throws -> Void
  ) throws {
    var computed = try SelectionEvaluator(selection, evaluator: self)
    for row in try answer(selection.rowQuery, over: rows) { try computed.add(row, body) }
    try computed.finish(body)
  }
}
