import SQLTranslation
import StoreProtocol

/// Rows of one entity that a bulk change concerns.
struct BulkRows {
  let plan: WritePlan
  var keys: [Int64] = []

  var identifiers: [PersistentIdentifier] { keys.map(identifier) }

  func identifier(of key: Int64) -> PersistentIdentifier {
    PersistentIdentifier(scope: plan.scope, key: .integer(key))
  }
}

/// The effect of a deletion of all rows that match a query.
///
/// It is one statement if no delete rule requires more than null in place of references, which
/// SQLite ensures. Otherwise the rows are found first, including cascades, by one query a
/// relationship and a generation. Then the deletion is checked for denials, and for rows that would
/// lose a required object.
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
    if plan.rest == nil, !table.needsRowsOneByOne, !rules.ask {
      // Without a condition, SQLite would report no rows.
      let deletion = plan.filtered("DELETE FROM \(table.sql)", adding: ["TRUE"])
      statement = "\(deletion)\(table.returning)"
    } else {
      statement = nil
    }
  }

  /// Returns the rows that are to be deleted, by entity.
  ///
  /// - Throws: ``DataStoreError/deletionDenied`` and `SwiftDataError.modelValidationFailure`.
  func rows() throws -> [BulkRows] {
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
    for rows in all { try checkDenial(of: rows, deleted) }
    try checkLosses(all, deleted)
    return all
  }

  private func checkDenial(of rows: BulkRows, _ deleted: Set<Int64>) throws {
    let map = rows.plan.map
    for property in map.entity.relationships(deleting: .deny) {
      let pairs = try related.rows(of: property, map, rows.identifiers)
      guard let pair = pairs.first(where: { !deleted.contains($0.related.integerKey ?? 0) }) else {
        continue
      }
      throw DataStoreError(
        .deletionDenied,
        "\(pair.owner) cannot be deleted while \(pair.related) is related to it; delete that first, "
          + "or remove it from the relationship",
        entity: map.entity.name,
        property: property.name
      )
    }
  }

  /// Throws if a row would lose the object of a relationship that is not optional.
  private func checkLosses(_ all: [BulkRows], _ deleted: Set<Int64>) throws {
    let keys = all.flatMap(\.keys)
    let rules = DeleteRules(of: all.map(\.plan.map.entity), in: catalog.map.schema)
    for loss in rules.losses {
      let losing = try related.referrers(by: loss.property, of: loss.entity, to: keys)
      guard let loser = losing.first(where: { !deleted.contains($0.integerKey ?? 0) }) else {
        continue
      }
      throw SwiftDataError.modelValidationFailure.with(
        "\(loser) would lose the object of a relationship that is not optional; set another, or "
          + "delete the object too",
        entity: loss.entity.name,
        property: loss.property.name
      )
    }
  }
}
