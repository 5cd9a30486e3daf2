import StoreProtocol

extension QueryEvaluator {
  /// Calls a closure with each row of the result of a selection, in order.
  ///
  /// - Parameters:
  ///   - selection: The selection.
  ///   - rows: The rows from which ``StoreSelection/rowQuery`` selects.
  ///   - body: A closure that receives the values of one row of the result.
  /// - Throws: The errors of reading the rows and of the closure, and an error for a sum that does
  ///   not fit.
  public func evaluate(
    _ selection: StoreSelection,
    over rows: some Sequence<Row>,
    _ body: ([StoreValue]) throws -> Void
  ) throws {
    var computed = try SelectionEvaluator(selection, evaluator: self)
    for row in try evaluate(selection.rowQuery, over: rows) { try computed.add(row, body) }
    try computed.finish(body)
  }
}
