import SQLTranslation
import StoreProtocol

/// How the members of a to-many relationship are read that refer to their owner.
///
/// Made once for a relationship, when the store is opened.
final class MemberPlan: Sendable {
  /// The entity of the owners.
  let map: EntityMap

  /// The owners' column with the order that they keep.
  let order: ColumnMap

  /// What is read of the members.
  let rows: RowPlan

  /// The members' property that refers to the owner, and its column.
  let inverse: String
  let owner: ColumnMap

  /// The statement that reads the members of one owner, with the order that it keeps behind the
  /// columns of each row.
  let selectionByOwner: String

  /// The position of the order in the rows of ``selectionByOwner``.
  var orderPosition: Int { rows.columnCount }

  /// Creates the plan of a relationship; `nil` if its members are listed elsewhere.
  init?(_ property: StoreProperty, of map: EntityMap, plans: [String: RowPlan]) {
    guard map.join(of: property.name) == nil, let relationship = property.relationship,
      let inverse = relationship.inverse, let order = map.column(of: property.name),
      let rows = plans[relationship.destination], let owner = rows.map.column(of: inverse)
    else { return nil }
    self.map = map
    self.order = order
    self.rows = rows
    self.inverse = inverse
    self.owner = owner
    let table = map.table
    // SQLite asks a subquery that depends on no row once.
    let kept = "(SELECT \(order.sql) FROM \(table.sql) WHERE \(table.key) = ?1)"
    selectionByOwner =
      "SELECT \(rows.columns), \(kept) FROM \(rows.map.table.sql) WHERE \(owner.sql) = ?1"
  }
}
