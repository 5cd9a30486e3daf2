import PostgreSQLClient
import QueryEvaluation
import StoreProtocol

extension PostgreSQLStore {
  public func select(
    _ selection: StoreSelection,
    _ body: ([StoreValue]) throws -> Void
  ) throws {
    try selection.check()
    for row in try rows(of: selection) { try body(row) }
  }

  private func rows(of selection: StoreSelection) throws -> [[StoreValue]] {
    let plan = try QueryPlan(selection.rowQuery, map)
    if let groups = try GroupStatement(selection, plan, map) {
      let rows = try session.read(isAlone: true) { try groups.rows($0.run(groups.statement)) }
      if let rows { return rows }
    }
    return try session.read(isAlone: plan.isNative && selection.readsOwnValues) { connection in
      let reader = RecordReader(map: map, connection: connection)
      var rows: [[StoreValue]] = []
      try reader.evaluation.select(selection, from: reader.records(plan)) { rows.append($0) }
      return rows
    }
  }

  func explanation(of selection: StoreSelection) throws -> StoreExplanation {
    try selection.check()
    let plan = try QueryPlan(selection.rowQuery, map)
    if let groups = try GroupStatement(selection, plan, map) {
      return try explanation(plan, groups.statement)
    }
    var explanation = try explanation(plan, plan.request.statement)
    if selection.groups != nil {
      explanation.steps.append("the groups are computed over the rows, one by one")
    }
    return explanation
  }
}

extension StoreSelection {
  /// Whether all values are properties of the rows themselves.
  fileprivate var readsOwnValues: Bool {
    let values = columns.compactMap { column in
      switch column {
      case .value(let value), .aggregate(_, let value, _): value
      case .key, .count: nil
      }
    }
    return (values + (groups ?? [])).allSatisfy { value in
      switch value {
      case .element(0), .property(.element(0), _), .constant: true
      default: false
      }
    }
  }
}
