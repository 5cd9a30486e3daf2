import SQLTranslation
import StoreProtocol

/// Searches for rows that prevent a change, before anything is changed.
struct StructureChecks {
  let plan: StructurePlan
  let change: StructureChange
  let connection: Connection
  let identifier: String

  /// Returns the violations that prevent the change.
  func violations() throws -> [SchemaViolation] {
    var found: [SchemaViolation] = []
    if !change.removesEntities {
      for name in plan.difference.removedEntities {
        let map = try plan.old.entity(named: name)
        try note(&found, map, nil) { .abandoned(name, count: $0, example: $1) }
      }
    }
    for mapping in plan.mappings.values.sorted(by: { $0.new.name < $1.new.name }) {
      let map = try plan.old.entity(named: mapping.old.name)
      for index in mapping.new.properties.indices {
        try checkValue(at: index, mapping, map, &found)
        try checkPresence(at: index, mapping, map, &found)
        try checkOwners(at: index, mapping, map, &found)
      }
    }
    return found
  }

  private func checkValue(
    at index: Int,
    _ mapping: RowMapping,
    _ map: EntityMap,
    _ found: inout [SchemaViolation]
  ) throws {
    guard case .converted(let position, let type) = mapping.sources[index],
      let column = map.column(of: mapping.old.properties[position].name),
      let range = type.fittingIntegers
    else { return }
    let greatest = Int64(clamping: range.greatest)
    let isBig = type == .uint64 ? "" : "typeof(\(column.sql)) <> 'integer' OR "
    let unfit =
      "\(column.sql) IS NOT NULL AND (\(isBig)\(column.sql) < \(range.lowest) "
      + "OR (typeof(\(column.sql)) = 'integer' AND \(column.sql) > \(greatest)))"
    let name = mapping.new.properties[index].name
    try note(&found, map, unfit) {
      .unfit(name, of: mapping.new.name, for: type, count: $0, example: $1)
    }
  }

  private func checkPresence(
    at index: Int,
    _ mapping: RowMapping,
    _ map: EntityMap,
    _ found: inout [SchemaViolation]
  ) throws {
    let name = mapping.new.properties[index].name
    let column = sourceColumn(at: index, mapping, map)
    if mapping.mustHaveValue(at: index) {
      var absent = column.map { "\($0.sql) IS NULL" }
      if case .owners(let owners) = mapping.sources[index] {
        absent = "\(map.table.key) NOT IN (SELECT member FROM (\(try plan.pairs(of: owners))))"
      }
      try note(&found, map, absent) {
        .absent(name, of: mapping.new.name, count: $0, example: $1)
      }
    }
    guard let column, !mapping.new.properties[index].isOptional,
      let condition = try refersToRemoved(column)
    else { return }
    try note(&found, map, condition) {
      .absent(name, of: mapping.new.name, count: $0, example: $1)
    }
  }

  /// Searches for rows with several owners, if the newer inverse can refer to one only.
  private func checkOwners(
    at index: Int,
    _ mapping: RowMapping,
    _ map: EntityMap,
    _ found: inout [SchemaViolation]
  ) throws {
    let property = mapping.new.properties[index]
    guard property.isToOne, case .owners(let owners) = mapping.sources[index] else { return }
    let pairs = try plan.pairs(of: owners)
    let shared = "SELECT member FROM (\(pairs)) GROUP BY member HAVING count(DISTINCT owner) > 1"
    try note(&found, map, "\(map.table.key) IN (\(shared))") { count, example in
      let keys = try example?.integerKey.map { try self.owners(of: $0, pairs) } ?? []
      let root = property.relationship.flatMap {
        plan.old.schema.entity(named: $0.destination)?.root
      }
      return .shared(
        property,
        of: mapping.new.name,
        count: count,
        example: example,
        owners: try keys.map { try row($0, in: root ?? mapping.old.root) }
      )
    }
  }

  private func owners(of member: Int64, _ pairs: String) throws -> [Int64] {
    let sql = "SELECT DISTINCT owner FROM (\(pairs)) WHERE member = ? ORDER BY owner LIMIT 3"
    return try connection.rows(sql, .integer(member)) { $0.integer(at: 0) }
  }

  /// Returns the identifier of a row of a hierarchy.
  private func row(_ key: Int64, in root: String) throws -> PersistentIdentifier {
    let table = try plan.old.entity(named: root).table
    return row(key, try connection.entity(ofRow: key, in: table) ?? root)
  }

  private func row(_ key: Int64, _ entity: String) -> PersistentIdentifier {
    PersistentIdentifier(.integer(key), of: entity, in: identifier)
  }

  private func sourceColumn(
    at index: Int,
    _ mapping: RowMapping,
    _ map: EntityMap
  ) -> ColumnMap? {
    switch mapping.sources[index] {
    case .same(let position), .converted(let position, _):
      map.column(of: mapping.old.properties[position].name)
    default: nil
    }
  }

  /// Returns the condition that a reference refers to a row whose entity is removed.
  private func refersToRemoved(_ column: ColumnMap) throws -> String? {
    guard case .reference(let name, _) = column.content, let table = plan.old.table(named: name)
    else { return nil }
    let removed = table.entities.map(\.name).filter(plan.difference.removedEntities.contains)
    let conditions = removed.map { entity in
      "\(column.sql) IN (SELECT \(table.key) FROM \(table.sql)"
        + "\(whereClause([table.isExactly(entity)])))"
    }
    return conditions.isEmpty ? nil : "(\(conditions.joined(separator: " OR ")))"
  }

  private func note(
    _ found: inout [SchemaViolation],
    _ map: EntityMap,
    _ condition: String?,
    _ violation: (Int, PersistentIdentifier?) throws -> SchemaViolation
  ) throws {
    let (table, entity) = (map.table, map.entity.name)
    let sql =
      "SELECT count(*), min(\(table.key)) FROM \(table.sql)"
      + whereClause([table.isExactly(entity), condition])
    let rows = try connection.first(sql) { (count: $0.integer(at: 0), key: $0.integer(at: 1)) }
    guard let rows, rows.count > 0 else { return }
    found.append(try violation(Int(rows.count), row(rows.key, entity)))
  }
}
