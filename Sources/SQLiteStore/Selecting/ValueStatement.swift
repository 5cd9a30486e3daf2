import SQLTranslation
import StoreProtocol

/// A statement that gives the values that a selection is about, and nothing else of the rows.
struct ValueStatement {
  /// The most values of a row.
  private static let maximum = 500

  /// The selection over those values.
  let selection: StoreSelection

  /// What the values are.
  let contents: [LeafContent]

  let sql: SQLFragment

  /// Prepares a selection, nil where SQL cannot give all values or all of the filter.
  init?(_ selection: StoreSelection, _ plan: QueryPlan) throws {
    guard plan.isNative else { return nil }
    let leaves = LeafList()
    func over(_ expression: QueryExpression) throws -> QueryExpression? {
      try plan.translator.overLeaves(expression, leaves)
    }
    var other = selection
    if let groups = selection.groups {
      guard let computed = try groups.mapUnlessNil(over) else { return nil }
      other.groups = computed
    }
    func computed(_ column: StoreSelection.Column) throws -> StoreSelection.Column? {
      switch column {
      case .value(let value): try over(value).map(StoreSelection.Column.value)
      case .aggregate(let function, let value, let type):
        try over(value).map { .aggregate(function, $0, type) }
      case .key, .count: column
      }
    }
    let columns = try selection.columns.mapUnlessNil(computed)
    guard let columns, leaves.count <= Self.maximum else { return nil }
    other.columns = columns
    self.selection = other
    contents = leaves.contents
    let list = leaves.texts.isEmpty ? SQLFragment("1") : .list(leaves.texts)
    let head: SQLFragment = "SELECT \(list) FROM \(plan.rows.map.table.sql)"
    sql = plan.selection(head, isWindowed: selection.groups == nil)
    guard sql.isWithinLimits else { return nil }
  }
}
