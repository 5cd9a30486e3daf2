import SQLTranslation
import StoreProtocol

/// New values for all rows that match a query, as one statement.
struct BulkUpdate {
  /// The values that are constant.
  private(set) var constants: [(column: WriteColumn, value: SQLValue)] = []

  private let plan: QueryPlan
  private let rows: RowPlan
  private var values: [(column: WriteColumn, value: SQLFragment)] = []
  private var checks: [(column: WriteColumn, holds: SQLFragment)] = []

  var table: TableMap { rows.map.table }

  /// Whether a new value depends on the row, so that it may be invalid.
  var computes: Bool { !checks.isEmpty }

  /// Builds the statement.
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` for expressions that SQL cannot represent
  ///   exactly, and ``DataStoreError/invalidValue`` for a value that does not fit the attribute.
  init(
    _ query: StoreQuery,
    _ assignments: [StoreAssignment],
    catalog: Catalog,
    connection: Connection
  ) throws {
    plan = try QueryPlan(query, catalog: catalog, connection: connection)
    rows = plan.rows
    guard plan.rest == nil else { throw DataStoreError.unsupportedBulkChange(of: query.entity) }
    let writing = try catalog.writePlan(of: query.entity)
    let constraints = try catalog.map.schema.family(of: query.entity).flatMap {
      try catalog.writePlan(of: $0.name).constraints
    }
    for assignment in assignments {
      guard let index = rows.map.entity.indexByName[assignment.property],
        let column = writing.column(of: index), let type = column.type,
        !values.contains(where: { $0.column === column }),
        !constraints.contains(where: { $0.columns.contains(column.map) }),
        !table.fileColumns.contains(column.map),
        !table.liveSearchIndexes.contains(where: { $0.column == column.map })
      else { throw DataStoreError.unsupportedBulkChange(of: query.entity, assignment.property) }
      try add(assignment.value, to: column, type)
    }
  }

  private mutating func add(
    _ value: QueryExpression,
    to column: WriteColumn,
    _ type: AttributeType
  ) throws {
    let property = rows.map.entity.properties[column.property]
    if case .constant(let constant) = value {
      guard !constant.isNull || property.isOptional else {
        throw Self.mismatch("nil", rows.map.entity, property)
      }
      do {
        let stored = try constant.isNull ? .null : SQLValue(constant, as: type)
        constants.append((column, stored))
        values.append((column, "\(bind: stored)"))
      } catch let mismatch as SQLValue.AttributeMismatch {
        throw Self.mismatch(mismatch.reason, rows.map.entity, property)
      }
      return
    }
    guard let number = try plan.translator.number(value, as: type) else {
      throw DataStoreError.unsupportedBulkChange(of: rows.map.entity.name, property.name)
    }
    if number.isThere == .always { return values.append((column, number.text)) }
    // SQLite throws at the absolute value of the least integer. That it depends on the row keeps
    // SQLite from computing it once and for all.
    let failure = "abs(min(\(table.key), \(Int64.min)))"
    values.append(
      (column, "CASE WHEN \(number.isThere) THEN \(number.text) ELSE \(failure) END")
    )
    checks.append((column, number.isThere))
  }

  /// Returns the number of rows.
  ///
  /// - Throws: ``DataStoreError/invalidValue`` if the new value of a row is invalid, such as a number
  ///   that overflows.
  func rowCount(on connection: Connection) throws -> Int {
    let failures = checks.map {
      "min(CASE WHEN \($0.holds) THEN NULL ELSE \(table.key) END)" as SQLFragment
    }
    let sql = plan.filtered("SELECT \(.list(["count(*)"] + failures)) FROM \(table.sql)")
    return try connection.withStatement(sql) { statement in
      guard try statement.step() else { return 0 }
      for (index, check) in checks.enumerated() where !statement.isNull(at: index + 1) {
        let property = rows.map.entity.properties[check.column.property].name
        let key = statement.integer(at: index + 1)
        throw DataStoreError.overflow(inRow: key, of: rows.map.entity.name, property)
      }
      return Int(statement.integer(at: 0))
    }
  }

  /// Returns the statement, which returns the rows if they may be of several entities.
  ///
  /// It fails with `SQLITE_ERROR` at a row whose new value is invalid.
  func statement(version: Int64) -> SQLFragment {
    let list = values.map { "\($0.column.map.sql) = \($0.value)" as SQLFragment }
    let version: SQLFragment = "\(table.version) = \(bind: .integer(version))"
    let head: SQLFragment = "UPDATE \(table.sql) SET \(.list(list + [version]))"
    return "\(plan.filtered(head))\(table.returning)"
  }

  private static func mismatch(
    _ reason: String,
    _ entity: StoreEntity,
    _ property: StoreProperty
  ) -> DataStoreError {
    DataStoreError(.invalidValue, reason, entity: entity.name, property: property.name)
  }
}
