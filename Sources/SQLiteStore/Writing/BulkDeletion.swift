import SQLTranslation
import StoreProtocol

/// What a deletion of all rows that a query finds comes to.
///
/// Where no delete rule asks for anything but null in place of references, which SQLite sees to,
/// it is one statement. Else the rows are found first, with all that go with them, by one query a
/// relationship and a generation; then what denies the deletion, and who would be left without
/// what is required, is looked for.
struct BulkDeletion {
  /// Rows of one entity that are to go.
  struct Rows {
    let plan: WritePlan
    var keys: [Int64] = []

    var identifiers: [PersistentIdentifier] {
      keys.map { PersistentIdentifier(scope: plan.scope, key: .integer($0)) }
    }
  }

  private let query: StoreQuery
  private let catalog: Catalog
  private let connection: Connection
  private let related: RelatedRows

  /// The one statement that does it, nil where more is to be done.
  let statement: SQLFragment?

  init(_ query: StoreQuery, catalog: Catalog, connection: Connection) throws {
    self.query = query
    self.catalog = catalog
    self.connection = connection
    related = RelatedRows(catalog: catalog, connection: connection)
    let plan = try QueryPlan(query, catalog: catalog, connection: connection)
    let table = plan.rows.map.table
    let family = catalog.map.schema.family(of: query.entity)
    if plan.rest == nil, !table.needsRowsOneByOne, !DeleteRules(of: family, catalog).ask {
      // Without a condition, SQLite would tell of no row.
      let deletion = plan.filtered("DELETE FROM \(table.sql)", adding: ["TRUE"])
      statement = "\(deletion)\(table.returning)"
    } else {
      statement = nil
    }
  }

  /// The rows that are to go, by entity.
  ///
  /// - Throws: ``DataStoreError/deletionDenied`` and `SwiftDataError.modelValidationFailure`.
  func rows() throws -> [Rows] {
    var found: [String: Rows] = [:]
    var doomed: Set<Int64> = []
    var open = try QueryReader(catalog: catalog, connection: connection).identifiers(query)
    while !open.isEmpty {
      let fresh = Dictionary(
        grouping: open.filter { $0.integerKey.map { doomed.insert($0).inserted } ?? false },
        by: \.entityName
      )
      open = []
      for (name, identifiers) in fresh {
        let plan = try catalog.writePlan(of: name)
        found[name, default: Rows(plan: plan)].keys += identifiers.compactMap(\.integerKey)
        for property in plan.map.entity.relationships(deleting: .cascade) {
          open += try related.rows(of: property, plan.map, identifiers).map(\.related)
        }
      }
    }
    let all = found.keys.sorted().compactMap { found[$0] }
    for rows in all { try checkDenial(of: rows, doomed) }
    try checkLosses(all, doomed)
    return all
  }

  private func checkDenial(of rows: Rows, _ doomed: Set<Int64>) throws {
    let map = rows.plan.map
    for property in map.entity.relationships(deleting: .deny) {
      let pairs = try related.rows(of: property, map, rows.identifiers)
      guard let pair = pairs.first(where: { !doomed.contains($0.related.integerKey ?? 0) }) else {
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

  /// Refuses to leave a row without the object of a relationship that is not optional.
  private func checkLosses(_ all: [Rows], _ doomed: Set<Int64>) throws {
    let keys = all.flatMap(\.keys)
    for loss in DeleteRules(of: all.map(\.plan.map.entity), catalog).losses {
      let losing = try related.referrers(by: loss.property, of: loss.entity, to: keys)
      guard let loser = losing.first(where: { !doomed.contains($0.integerKey ?? 0) }) else {
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
