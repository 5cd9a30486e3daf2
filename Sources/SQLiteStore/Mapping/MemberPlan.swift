import SQLTranslation
import StoreProtocol

/// A plan for reading the related objects of a to-many relationship that refer to their owner.
///
/// Created once per relationship, when the store is opened.
final class MemberPlan: Sendable {
  /// The entity of the owners.
  let map: EntityMap

  /// The owners' column with the order of their related objects.
  let order: ColumnMap

  /// The plan for reading the related objects' rows.
  let rows: RowPlan

  /// The related objects' property that refers to the owner, and its column.
  let inverse: String
  let owner: ColumnMap

  /// The statement that reads the related objects of one owner.
  ///
  /// The owner's stored order follows the columns of each row.
  let selectionByOwner: String

  /// The index of the order in the rows of ``selectionByOwner``.
  var orderPosition: Int { rows.columnCount }

  /// Creates the plan of a relationship, or `nil` if a join table lists its related objects.
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
    // SQLite evaluates a subquery that depends on no row once.
    let kept = "(SELECT \(order.sql) FROM \(table.sql) WHERE \(table.key) = ?1)"
    selectionByOwner =
      "SELECT \(rows.columns), \(kept) FROM \(rows.map.table.sql) WHERE \(owner.sql) = ?1"
  }
}
