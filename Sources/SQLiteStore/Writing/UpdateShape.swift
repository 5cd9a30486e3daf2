import SQLTranslation
import StoreProtocol

/// The common parts of updates of the same properties of one entity.
final class UpdateShape {
  let plan: WritePlan

  /// The constraints to which the changed values belong.
  let constraints: [ConstraintMap]

  /// The columns to write, each with the index of its change in the update.
  let columns: [(position: Int, column: WriteColumn)]

  /// The columns without their indexes.
  let maps: [ColumnMap]

  /// The relationships with tables of their own, each with the index of its change in the update.
  let lists: [(position: Int, join: JoinMap)]

  /// The statement that sets the columns, and then the version of the row.
  let sql: String

  /// The properties that change.
  let indices: [Int]

  private let scope: PersistentIdentifier.Scope

  /// Creates the shape of an update.
  ///
  /// - Throws: ``DataStoreError/invalidValue`` for a property that the entity lacks, or that the
  ///   update has twice.
  init(_ update: StoreUpdate, _ plan: WritePlan) throws {
    let map = plan.map
    let names = Set(
      update.changes.compactMap { change in
        map.entity.properties.indices.contains(change.index)
          ? map.entity.properties[change.index].name : nil
      }
    )
    guard names.count == update.changes.count else {
      throw DataStoreError(
        .invalidValue,
        "the update names a property that the entity lacks, or names one twice",
        entity: update.identifier.entityName
      )
    }
    var columns: [(position: Int, column: WriteColumn)] = []
    var lists: [(position: Int, join: JoinMap)] = []
    for (position, change) in update.changes.enumerated() {
      switch map.storage[change.index] {
      case .column:
        if let column = plan.column(of: change.index) { columns.append((position, column)) }
      case .join(let join): lists.append((position, join))
      case .notStored: continue
      }
    }
    self.plan = plan
    self.columns = columns
    self.lists = lists
    constraints = plan.constraints.filter { !names.isDisjoint(with: $0.properties) }
    maps = columns.map(\.column.map)
    sql = plan.change(of: columns.map(\.column))
    indices = update.changes.map(\.index)
    scope = update.identifier.scope
  }

  /// Whether another update changes the same properties of the same entity, in the same order.
  func fits(_ update: StoreUpdate) -> Bool {
    (update.identifier.scope === scope || update.identifier.entityName == scope.entityName)
      && update.changes.count == indices.count
      && zip(update.changes, indices).allSatisfy { $0.index == $1 }
  }
}
