import StoreProtocol

/// Looks for rows that stand in the way of a change, before anything is changed.
struct StructureChecks {
  let plan: StructurePlan
  let change: StructureChange
  let connection: Connection
  let identifier: String

  /// What is in the way.
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
      try note(&found, map, column.map { "\($0.sql) IS NULL" }) {
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

  /// The condition that a reference leads to a row whose entity is removed.
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
    _ violation: (Int, PersistentIdentifier?) -> SchemaViolation
  ) throws {
    let (table, entity) = (map.table, map.entity.name)
    let sql =
      "SELECT count(*), min(\(table.key)) FROM \(table.sql)"
      + whereClause([table.isExactly(entity), condition])
    try connection.withStatement(sql) {
      guard try $0.step(), $0.integer(at: 0) > 0 else { return }
      let scope = PersistentIdentifier.Scope(storeIdentifier: identifier, entityName: entity)
      let example = PersistentIdentifier(scope: scope, key: .integer($0.integer(at: 1)))
      found.append(violation(Int($0.integer(at: 0)), example))
    }
  }
}
