import StoreProtocol

extension ReadView {
  /// Computes a selection straight from the columns.
  func select(_ selection: StoreSelection, _ body: ([StoreValue]) throws -> Void) throws {
    var evaluator = try SelectionEvaluator(selection, evaluator: evaluator)
    if selection.asksForNumberAlone {
      return try answer(selection, number: count(selection.rowQuery), body)
    }
    for row in try rows(selection.rowQuery) { try evaluator.add(row, body) }
    try evaluator.finish(body)
  }

  /// How the store computes a selection.
  func explain(_ selection: StoreSelection) throws -> StoreExplanation {
    var explanation = try explain(selection.rowQuery)
    explanation.steps.append(
      selection.groups == nil
        ? "the values are read from the columns"
        : selection.asksForNumberAlone
          ? "the rows found are counted" : "the groups are computed from the columns, row by row"
    )
    return explanation
  }

  /// Gives the number of all rows without looking at their values.
  private func answer(
    _ selection: StoreSelection,
    number: Int,
    _ body: ([StoreValue]) throws -> Void
  ) throws {
    let values = selection.columns.map { _ in StoreValue.integer(Int64(number)) }
    let answer = GroupedAnswer(key: GroupKey([]), values: values)
    for answer in try selection.windowed([answer]) { try body(answer.values) }
  }
}

extension StoreSelection {
  /// The rows that are looked at: all that pass the filter where they are put into groups.
  fileprivate var rowQuery: StoreQuery {
    var query = query
    if groups != nil {
      query.sort = []
      query.offset = 0
      query.limit = nil
    }
    return query
  }

  /// Whether nothing but the number of all rows is asked for.
  fileprivate var asksForNumberAlone: Bool { groups == [] && columns.allSatisfy { $0 == .count } }
}
