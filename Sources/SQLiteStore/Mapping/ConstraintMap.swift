import SQLTranslation
import StoreProtocol

/// Properties whose values are unique in combination, within the hierarchy of the declaring entity.
struct ConstraintMap: Sendable {
  /// The entity that declares the constraint, which applies to all that inherit from it.
  let entity: String

  let properties: [String]

  /// The columns of the properties.
  let columns: [ColumnMap]

  /// The list of the columns, in SQL.
  let list: String

  /// The query for the values and the keys of all rows.
  let selection: String

  /// The marks of the columns whose values can be equal in Swift and different in SQL.
  let marks: [String]

  /// The index that prevents other tools from writing equal values.
  let index: IndexMap

  /// The query for the key of the row with given values: one parameter per column, in order.
  ///
  /// As in SQL, a row with a null among the values equals no other.
  let lookup: String

  /// Returns whether a row with the values equals no other: null and NaN equal nothing.
  func equalNoValues(_ values: [SQLValue]) -> Bool {
    zip(columns, values).contains { column, value in
      value == .null || column.canBeNotANumber && value.isNotANumber
    }
  }

  /// Whether some values of the columns can be equal in Swift and different in SQL.
  var hasInexactColumns: Bool { !marks.isEmpty }
}

extension SchemaMap {
  /// Returns the constraints of a table's entities, with the indexes that a file format has.
  ///
  /// Each constraint is that of the entity that declares it first.
  func constraints(
    of table: TableMap,
    format: Int64 = FileFormat.current
  ) throws -> [ConstraintMap] {
    try table.entities.flatMap { entity in
      let inherited = entity.superentity.flatMap(schema.entity(named:))?.allConstraints ?? []
      return try entity.allConstraints.filter { !inherited.contains($0) }
        .map { try constraint(on: $0, of: entity, format) }
    }
  }

  private func constraint(
    on names: [String],
    of entity: StoreEntity,
    _ format: Int64
  ) throws -> ConstraintMap {
    let map = try self.entity(named: entity.name)
    let columns = try names.map { name in
      guard let column = map.column(of: name), !column.isOrder else {
        throw DataStoreError(
          .invalidConfiguration,
          "values of this property cannot be unique; use an attribute or a to-one relationship",
          entity: entity.name,
          property: name
        )
      }
      return column
    }
    let table = map.table
    let condition = map.entityCondition
    let name = "unique \(entity.name)(\(columns.map(\.name).joined(separator: ", ")))"
    let isExact = format >= FileFormat.firstWithExactConstraints
    let terms = isExact ? columns.uniqueTerms : columns.map(\.sql)
    let list = columns.map(\.sql).joined(separator: ", ")
    let equalities = columns.map { "\($0.sql) = ?" } + (condition.map { [$0] } ?? [])
    return ConstraintMap(
      entity: entity.name,
      properties: names,
      columns: columns,
      list: list,
      selection: "SELECT \(list), \(table.key) FROM \(table.sql)\(whereClause([condition]))",
      marks: columns.filter { $0.type?.hasInexactValues == true }.map {
        $0.inexactMark(in: table.name)
      },
      index: IndexMap(name, on: table.sql, terms, condition, isUnique: true),
      lookup: "SELECT \(table.key) FROM \(table.sql)"
        + " WHERE \(equalities.joined(separator: " AND "))"
    )
  }
}

extension StoreEntity {
  /// The constraints of the entity without duplicates, including those of single properties.
  var allConstraints: [[String]] {
    let single = properties.filter(\.isUnique).map { [$0.name] }
    return (uniquenessConstraints + single).filter { !$0.isEmpty }.withoutRepeats
  }
}

extension [ColumnMap] {
  /// The terms of a unique index: the columns, and a term that is null for NaN for each that may
  /// hold it.
  var uniqueTerms: [String] { map(\.sql) + compactMap(\.numberTerm) }
}

extension ColumnMap {
  /// A term of SQL that is 0 for a number and null for NaN, or `nil` if the column cannot hold NaN.
  ///
  /// Two NaN have the same bytes, and rows with a null among their terms do not conflict. Of the
  /// values that are stored as bytes, -0.0 alone is a number.
  fileprivate var numberTerm: String? {
    guard canBeNotANumber else { return nil }
    return "nullif(typeof(\(sql)) = 'blob' AND \(sql) <> x'8000000000000000', 1)"
  }

  /// Returns the key in the metadata table that marks the column as one with a value that SQL compares
  /// otherwise than Swift does (``InexactColumns``).
  func inexactMark(in table: String) -> String { "inexact:\(table).\(name)" }

  /// Whether the column may hold NaN.
  var canBeNotANumber: Bool {
    switch content {
    case .value(.float), .value(.double), .value(.date): true
    default: false
    }
  }
}
