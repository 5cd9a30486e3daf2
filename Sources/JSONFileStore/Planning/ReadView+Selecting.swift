import QueryEvaluation
import StoreProtocol

extension ReadView {
  /// Computes a selection directly from the columns.
  func select(_ selection: StoreSelection, _ body: ([StoreValue]) throws -> Void) throws {
    let body = { (values: [StoreValue]) in
      try self.check()
      try body(values)
    }
    var evaluator = try SelectionEvaluator(selection, evaluator: evaluator)
    if selection.selectsOnlyCount {
      return try select(selection, number: count(selection.rowQuery), body)
    }
    let rows = try rows(selection.rowQuery)
    try check()
    if var groups = try columnGroups(selection, rows) {
      for row in rows { try groups.add(row) }
      return try groups.finish(body)
    }
    for row in rows { try evaluator.add(row, body) }
    try evaluator.finish(body)
  }

  /// Returns the groups by columns, or `nil` if there are no rows, or rows of several tables.
  private func columnGroups(
    _ selection: StoreSelection,
    _ rows: [StoredRow]
  ) throws -> ColumnGroups? {
    guard let source = rows.first?.source, try family(of: selection.query).count == 1 else {
      return nil
    }
    return try ColumnGroups(selection, source, self)
  }

  /// Explains how a query or a selection is executed.
  func explanation(of request: StorePlan.Request) throws -> StoreExplanation {
    var explanation = try QueryPlan(request.query, in: self).explanation()
    guard case .selection(let selection) = request else { return explanation }
    explanation.steps.append(
      selection.groups == nil
        ? "the values are read from the columns"
        : selection.selectsOnlyCount
          ? "the rows found are counted" : "the groups are computed from the columns, row by row"
    )
    return explanation
  }

  /// Passes on the number of all rows without reading their values.
  private func select(
    _ selection: StoreSelection,
    number: Int,
    _ body: ([StoreValue]) throws -> Void
  ) throws {
    let values = selection.columns.map { _ in StoreValue.integer(Int64(number)) }
    let group = ResultGroup(key: GroupKey([]), values: values)
    for result in try selection.windowed([group]) { try body(result.values) }
  }
}

extension StoreSelection {
  /// Whether only the number of all rows is requested.
  fileprivate var selectsOnlyCount: Bool { groups == [] && columns.allSatisfy { $0 == .count } }
}
