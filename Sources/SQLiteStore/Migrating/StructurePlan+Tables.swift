import SQLTranslation
import StoreProtocol

/// Tables that are kept, and tables that are rebuilt.
extension StructurePlan {
  /// Whether every row of a table keeps its values in their columns.
  func isKept(_ table: TableMap, _ existing: TableMap) throws -> Bool {
    guard existing.keyName == table.keyName, existing.versionName == table.versionName,
      existing.entityColumnName == nil || existing.entityColumnName == table.entityColumnName
    else { return false }
    let names = Set(table.entities.map(\.name))
    let before = Set(existing.entities.map(\.name))
    let isWhole = existing.entities.allSatisfy {
      names.contains($0.name) || new.schema.entity(named: $0.name) == nil
    }
    let isAlone = table.entities.allSatisfy {
      before.contains($0.name) || old.schema.entity(named: $0.name) == nil
    }
    guard isWhole, isAlone else { return false }
    for column in existing.columns {
      guard let same = table.columns.first(where: { $0.name == column.name }),
        old.declaration(of: column) == new.declaration(of: same)
      else { return false }
    }
    return try table.entities.allSatisfy { try keepsColumns($0, existing) }
  }

  private func keepsColumns(_ entity: StoreEntity, _ existing: TableMap) throws -> Bool {
    guard let mapping = mappings[entity.name] else { return true }
    let before = try old.entity(named: entity.name)
    let after = try new.entity(named: entity.name)
    var used: Set<String> = []
    for (index, property) in entity.properties.enumerated() {
      guard let column = after.column(of: property.name) else { continue }
      switch mapping.sources[index] {
      case .same(let position), .converted(let position, _):
        let name = mapping.old.properties[position].name
        guard before.column(of: name)?.name == column.name else { return false }
        used.insert(column.name)
      case .missing, .oneToMany, .listed, .ordered, .owners:
        if existing.columns.contains(where: { $0.name == column.name }) { return false }
      }
    }
    return mapping.old.properties.allSatisfy { property in
      before.column(of: property.name).map { used.contains($0.name) } ?? true
    }
  }

  /// Adds columns to a table that is kept, and sets the values that its rows need.
  mutating func extend(_ table: TableMap, _ existing: TableMap) throws {
    for entity in existing.entities where new.schema.entity(named: entity.name) == nil {
      add("DELETE FROM \(table.sql)\(whereClause([existing.isExactly(entity.name)]))")
    }
    returnValues(of: existing)
    if let entityColumn = table.entityColumn, existing.entityColumn == nil {
      add("ALTER TABLE \(table.sql) ADD COLUMN \(entityColumn) TEXT")
      let name = existing.entities.first?.name ?? table.name
      add("UPDATE \(table.sql) SET \(entityColumn) = \(SQLText.literal(name))")
    }
    for column in table.columns
    where !existing.columns.contains(where: { $0.name == column.name }) {
      add("ALTER TABLE \(table.sql) ADD COLUMN \(new.declaration(of: column))")
    }
    for entity in table.entities {
      try fillValues(of: entity, table)
      try connect(entity, table, named: table.sql)
    }
  }

  private mutating func fillValues(of entity: StoreEntity, _ table: TableMap) throws {
    guard let mapping = mappings[entity.name] else { return }
    let map = try new.entity(named: entity.name)
    for (index, property) in entity.properties.enumerated() {
      let value = mapping.fallback(at: index)
      guard !value.isNull, let column = map.column(of: property.name), let type = column.type else {
        continue
      }
      try dropConstraints(of: column, in: table)
      let condition = whereClause([table.isExactly(entity.name), "\(column.sql) IS NULL"])
      if let initial = mapping.initialValue(at: index) {
        add("UPDATE \(table.sql) SET \(column.sql) = \(call(initial, as: type))\(condition)")
      } else {
        add(
          "UPDATE \(table.sql) SET \(column.sql) = ?\(condition)",
          [try SQLValue(value, as: type)]
        )
      }
      noteFilled(table)
    }
  }

  /// Drops the unique indexes of a column that gets values.
  ///
  /// They are created again afterwards, which finds the rows with equal values.
  private mutating func dropConstraints(of column: ColumnMap, in table: TableMap) throws {
    let indexes = Set(try old.indexes())
    for constraint in try new.constraints(of: table)
    where constraint.columns.contains(where: { $0.name == column.name })
      && indexes.contains(constraint.index)
    {
      add("DROP INDEX IF EXISTS \(SQLIdentifier.quotedComposite(constraint.index.name))")
    }
  }

  /// Moves values from files into their rows if an index will include them.
  private mutating func returnValues(of table: TableMap) {
    for column in table.fileColumns where mustStayInRow(column, of: table.name) {
      for sql in FileColumns.returning(column, in: table) { add(sql) }
    }
  }

  /// Whether an index of a table includes the values of a column.
  private func mustStayInRow(_ column: ColumnMap, of table: String) -> Bool {
    let entities = new.table(named: table)?.entities ?? []
    return entities.contains { entity in
      guard let map = try? new.entity(named: entity.name) else { return false }
      return entity.properties.contains {
        map.column(of: $0.name)?.name == column.name && $0.mustStayInRow(in: entities)
      }
    }
  }

  /// Rebuilds a table from the tables that stored its entities.
  mutating func rebuild(_ table: TableMap) throws {
    add(new.creation(of: table, under: table.temporaryName))
    for entity in table.entities {
      guard let mapping = mappings[entity.name] else { continue }
      try copyRows(of: mapping, to: table)
      try connect(entity, table, named: table.temporaryName)
    }
  }

  private mutating func copyRows(of mapping: RowMapping, to table: TableMap) throws {
    let before = try old.entity(named: mapping.old.name)
    let after = try new.entity(named: mapping.new.name)
    let source = before.table
    var names = [table.key, table.version]
    var values = [source.key, source.version]
    var parameters: [SQLValue] = []
    if let entityColumn = table.entityColumn {
      names.append(entityColumn)
      values.append(SQLText.literal(mapping.new.name))
    }
    for (index, property) in mapping.new.properties.enumerated() {
      guard let column = after.column(of: property.name) else { continue }
      var value = expression(at: index, mapping, before, column, table)
      let fallback = mapping.fallback(at: index)
      if !fallback.isNull, let type = column.type {
        let initial = mapping.initialValue(at: index).map { call($0, as: type) }
        value = value.map { "coalesce(\($0), \(initial ?? "?"))" } ?? initial ?? "?"
        if initial == nil { parameters.append(try SQLValue(fallback, as: type)) }
      }
      guard let value else { continue }
      names.append(column.sql)
      values.append(value)
    }
    let condition = whereClause([
      source.isExactly(mapping.old.name), "\(source.key) > ?", "\(source.key) <= ?",
    ])
    add(
      "INSERT INTO \(table.temporaryName)(\(names.joined(separator: ", "))) "
        + "SELECT \(values.joined(separator: ", ")) FROM \(source.sql)\(condition)",
      parameters,
      from: source
    )
  }

  /// Returns the expression for a column's values, or `nil` if the old rows have none.
  private func expression(
    at index: Int,
    _ mapping: RowMapping,
    _ before: EntityMap,
    _ column: ColumnMap,
    _ table: TableMap
  ) -> String? {
    switch mapping.sources[index] {
    case .same(let position):
      guard let source = before.column(of: mapping.old.properties[position].name) else {
        return nil
      }
      guard before.table.fileColumns.contains(source), let type = source.type,
        mustStayInRow(column, of: table.name)
      else { return source.sql }
      let name = mapping.old.properties[position].name
      return FileFunction.call(
        SQLFragment(source.sql),
        as: type,
        entity: mapping.old.name,
        property: name
      ).text
    case .converted(let position, let type):
      guard let source = before.column(of: mapping.old.properties[position].name) else {
        return nil
      }
      return type.isInteger ? source.sql : "CAST(\(source.sql) AS \(type.columnType))"
    case .missing, .oneToMany, .listed, .ordered, .owners: return nil
    }
  }
}
