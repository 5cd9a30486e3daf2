import SQLTranslation
import StoreProtocol

/// Rows of one entity with changes of the same properties, and what their updates have in common.
struct UpdateRun {
  let rows: RowRun
  let keys: [Int64]
  let plan: WritePlan

  /// The constraints to which the changed values belong.
  let constraints: [ConstraintMap]

  /// The columns to write.
  let columns: [WriteColumn]

  /// The changed relationships with tables of their own.
  let joins: [(property: Int, join: JoinMap)]

  /// The statement that sets the columns, and then the version of the row.
  let sql: String

  /// Creates the updates of a run.
  ///
  /// - Throws: ``DataStoreError/invalidValue`` for a property that the entity lacks, or that the
  ///   run has twice; ``DataStoreError/conflict`` for a row without an integer key.
  init(_ rows: RowRun, _ plan: WritePlan) throws {
    let properties = rows.properties
    let entity = plan.map.entity
    guard properties.allSatisfy(entity.properties.indices.contains),
      properties.count == 1 || Set(properties).count == properties.count
    else {
      throw DataStoreError(
        .invalidValue,
        "the update names a property that the entity lacks, or names one twice",
        entity: rows.entityName
      )
    }
    keys =
      try rows.identifiers.keys
      ?? rows.identifiers.map { identifier in
        guard let key = identifier.integerKey else { throw VersionCheck.missing(identifier) }
        return key
      }
    self.rows = rows
    self.plan = plan
    columns = properties.compactMap(plan.column)
    joins = plan.joins.filter { properties.contains($0.property) }
    constraints = plan.constraints.filter { constraint in
      properties.contains { constraint.properties.contains(entity.properties[$0].name) }
    }
    sql = plan.change(of: columns)
  }
}
