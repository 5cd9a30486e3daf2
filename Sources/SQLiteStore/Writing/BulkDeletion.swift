import SQLTranslation
import StoreProtocol

/// Rows of one entity that are changed together.
struct BulkRows {
  let plan: WritePlan
  var keys: [Int64] = []

  var identifiers: [PersistentIdentifier] { keys.map(identifier) }

  func identifier(of key: Int64) -> PersistentIdentifier {
    PersistentIdentifier(scope: plan.scope, key: .integer(key))
  }
}

/// A row that prevents a deletion, unless the same batch deletes it too.
struct DeletionObstacle {
  /// The row that refers to a deleted one, or to which a deleted one refers.
  let row: PersistentIdentifier
  /// The deleted row, if its delete rule denies the deletion; `nil` if the row requires it.
  let denied: PersistentIdentifier?
  let entity: String
  let property: String

  /// The error if the row remains.
  var error: any Error {
    guard let denied else {
      return SwiftDataError.modelValidationFailure.with(
        "\(row) would lose the object of a relationship that is not optional; set another, or "
          + "delete the object too",
        entity: entity,
        property: property
      )
    }
    return DataStoreError(
      .deletionDenied,
      "\(denied) cannot be deleted while \(row) is related to it; delete that first, or remove it "
        + "from the relationship",
      entity: entity,
      property: property
    )
  }
}

/// The effect of a deletion of all rows that match a query.
///
/// It is one statement if no delete rule requires more than null in place of references, which
/// SQLite ensures. Otherwise the rows are found first, including cascades, by one query a
/// relationship and a generation. Then the rows are found that deny the deletion, or would lose a
/// required object. Later changes of the batch may delete these.
struct BulkDeletion {
  private let query: StoreQuery
  private let catalog: Catalog
  private let connection: Connection
  private let related: RelatedRows

  /// The one statement that performs the deletion, or `nil` if more is to be done.
  let statement: SQLFragment?

  init(_ query: StoreQuery, catalog: Catalog, connection: Connection) throws {
    self.query = query
    self.catalog = catalog
    self.connection = connection
    related = RelatedRows(catalog: catalog, connection: connection)
    let plan = try QueryPlan(query, catalog: catalog, connection: connection)
    let table = plan.rows.map.table
    let family = catalog.map.schema.family(of: query.entity)
    let rules = DeleteRules(of: family, in: catalog.map.schema)
    let needsRows = try catalog.writePlan(of: query.entity).needsRowsOneByOne
    if plan.rest == nil, !needsRows, !rules.ask {
      // Without a condition, SQLite would report no rows.
      let deletion = plan.filtered("DELETE FROM \(table.sql)", adding: ["TRUE"])
      statement = "\(deletion)\(table.returning)"
    } else {
      statement = nil
    }
  }

  /// Returns the rows that are to be deleted, by entity, and those that prevent it if they remain.
  func rows() throws -> (rows: [BulkRows], obstacles: [DeletionObstacle]) {
    var found: [String: BulkRows] = [:]
    var deleted: Set<Int64> = []
    var open = try QueryReader(catalog: catalog, connection: connection).identifiers(query)
    while !open.isEmpty {
      let fresh = Dictionary(
        grouping: open.filter { $0.integerKey.map { deleted.insert($0).inserted } ?? false },
        by: \.entityName
      )
      open = []
      for (name, identifiers) in fresh {
        let plan = try catalog.writePlan(of: name)
        found[name, default: BulkRows(plan: plan)].keys += identifiers.compactMap(\.integerKey)
        for property in plan.map.entity.relationships(deleting: .cascade) {
          open += try related.rows(of: property, plan.map, identifiers).map(\.related)
        }
      }
    }
    let all = found.keys.sorted().compactMap { found[$0] }
    let obstacles = try all.flatMap(denials) + losses(all)
    return (all, obstacles.filter { !deleted.contains($0.row.integerKey ?? 0) })
  }

  private func denials(of rows: BulkRows) throws -> [DeletionObstacle] {
    let map = rows.plan.map
    return try map.entity.relationships(deleting: .deny).flatMap { property in
      try related.rows(of: property, map, rows.identifiers).map { pair in
        DeletionObstacle(
          row: pair.related,
          denied: pair.owner,
          entity: map.entity.name,
          property: property.name
        )
      }
    }
  }

  /// Returns the rows that would lose the object of a relationship that is not optional.
  private func losses(_ all: [BulkRows]) throws -> [DeletionObstacle] {
    let keys = all.flatMap(\.keys)
    let rules = DeleteRules(of: all.map(\.plan.map.entity), in: catalog.map.schema)
    return try rules.losses.flatMap { loss in
      try related.referrers(by: loss.property, of: loss.entity, to: keys).map { row in
        DeletionObstacle(
          row: row,
          denied: nil,
          entity: loss.entity.name,
          property: loss.property.name
        )
      }
    }
  }
}
