import SQLTranslation
import StoreProtocol

/// The common parts of updates of the same properties of one entity.
final class UpdateShape {
  let plan: WritePlan

  /// The constraints to which the changed values belong.
  let constraints: [ConstraintMap]

  /// The columns to write.
  let columns: [WriteColumn]

  /// The columns without what else is needed to write them.
  let maps: [ColumnMap]

  /// The changed relationships with tables of their own.
  let lists: [(property: Int, join: JoinMap)]

  /// The statement that sets the columns, and then the version of the row.
  let sql: String

  /// Creates the shape of the updates of a run.
  ///
  /// - Throws: ``DataStoreError/invalidValue`` for a property that the entity lacks, or that the
  ///   run has twice.
  init(_ run: RowRun, _ plan: WritePlan) throws {
    let map = plan.map
    let known = map.entity.properties.indices
    guard run.properties.allSatisfy(known.contains),
      run.properties.count == 1 || Set(run.properties).count == run.properties.count
    else {
      throw DataStoreError(
        .invalidValue,
        "the update names a property that the entity lacks, or names one twice",
        entity: run.entityName
      )
    }
    var columns: [WriteColumn] = []
    var lists: [(property: Int, join: JoinMap)] = []
    for property in run.properties {
      switch map.storage[property] {
      case .column:
        if let column = plan.column(of: property) { columns.append(column) }
      case .join(let join): lists.append((property, join))
      case .notStored: continue
      }
    }
    self.plan = plan
    self.columns = columns
    self.lists = lists
    constraints = plan.constraints.filter { constraint in
      run.properties.contains { constraint.properties.contains(map.entity.properties[$0].name) }
    }
    maps = columns.map(\.map)
    sql = plan.change(of: columns)
  }
}
