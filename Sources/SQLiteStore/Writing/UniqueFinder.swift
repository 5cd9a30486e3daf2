import StoreProtocol

/// Finds the row that has given unique values, with Swift's equality.
///
/// Equal values have equal bytes as long as no column of the constraint is marked
/// (``InexactColumns``): then the unique index answers. In marked columns a text may stand in two
/// forms, and the rows are compared one by one.
final class UniqueFinder {
  /// A row with its own entity.
  struct Row {
    let key: Int64
    let entity: String
  }

  private let connection: Connection

  /// What is known of the marks of columns, which in a transaction of our own only we set.
  private var marks: [String: Bool] = [:]

  init(connection: Connection) {
    self.connection = connection
  }

  /// Learns that a column was marked.
  func noteMark(_ key: String) {
    marks[key] = true
  }

  /// The one row that has the values of some constraint.
  ///
  /// The values are those of each constraint of the plan, nil where they equal none.
  ///
  /// - Throws: ``DataStoreError/uniqueConflict`` when two constraints lead to two rows.
  func row(equalTo values: [[SQLValue]?], _ plan: WritePlan) throws -> Row? {
    var found: Int64?
    for (constraint, values) in zip(plan.constraints, values) {
      guard let values,
        let key = try key(equalTo: values, constraint, in: plan.map.table, except: nil)
      else { continue }
      if let found, found != key {
        throw DataStoreError(
          .uniqueConflict,
          "the new object has unique values of two stored ones, \(found) and \(key)",
          entity: constraint.entity
        )
      }
      found = key
    }
    guard let found else { return nil }
    return Row(key: found, entity: try entity(of: found, plan.map))
  }

  /// The key of the row that has the values, other than a given one.
  func key(
    equalTo values: [SQLValue],
    _ constraint: ConstraintMap,
    in table: TableMap,
    except own: Int64?
  ) throws -> Int64? {
    if values.contains(.null) { return nil }
    if constraint.hasInexactColumns, try isMarked(constraint, table) {
      return try compared(values, constraint, table, except: own)
    }
    return try connection.withStatement(constraint.lookup) {
      // No stored text has another form than the composed one.
      try $0.bind(values.map(\.composed))
      while try $0.step() {
        let key = $0.integer(at: 0)
        if key != own { return key }
      }
      return nil
    }
  }

  /// The stored values of a row's constraint, nil where there is no such row.
  func values(
    of constraint: ConstraintMap,
    row key: Int64,
    in table: TableMap
  ) throws -> [SQLValue]? {
    let list = constraint.columns.map(\.sql).joined(separator: ", ")
    let sql = "SELECT \(list) FROM \(table.sql) WHERE \(table.key) = ?"
    return try connection.withStatement(sql) { statement in
      try statement.bind(key, at: 1)
      guard try statement.step() else { return nil }
      return constraint.columns.indices.map { statement.value(at: $0) }
    }
  }

  func exists(_ key: Int64, in table: TableMap) throws -> Bool {
    try connection.withStatement("SELECT 1 FROM \(table.sql) WHERE \(table.key) = ?") {
      try $0.bind(key, at: 1)
      return try $0.step()
    }
  }

  private func entity(of key: Int64, _ map: EntityMap) throws -> String {
    guard let column = map.table.entityColumn else { return map.entity.name }
    let sql = "SELECT \(column) FROM \(map.table.sql) WHERE \(map.table.key) = ?"
    return try connection.withStatement(sql) {
      try $0.bind(key, at: 1)
      return try $0.step() ? $0.text(at: 0) ?? map.entity.name : map.entity.name
    }
  }

  private func isMarked(_ constraint: ConstraintMap, _ table: TableMap) throws -> Bool {
    try constraint.columns.contains { try isMarked($0, table) }
  }

  private func isMarked(_ column: ColumnMap, _ table: TableMap) throws -> Bool {
    let key = InexactColumns.key(of: column, in: table)
    if let known = marks[key] { return known }
    let isMarked = try InexactColumns.isMarked(column, in: table, on: connection)
    marks[key] = isMarked
    return isMarked
  }

  /// Compares row by row.
  ///
  /// - Complexity: O(*n*) in the rows of the table.
  private func compared(
    _ values: [SQLValue],
    _ constraint: ConstraintMap,
    _ table: TableMap,
    except own: Int64?
  ) throws -> Int64? {
    let list = constraint.columns.map(\.sql).joined(separator: ", ")
    let sql = "SELECT \(list), \(table.key) FROM \(table.sql)"
    let wanted = values.map(\.comparable)
    return try connection.withStatement(sql) { statement in
      while try statement.step() {
        let key = statement.integer(at: values.count)
        guard key != own else { continue }
        let row = values.indices.map { statement.value(at: $0).comparable }
        if row == wanted { return key }
      }
      return nil
    }
  }
}

extension Statement {
  /// A column as SQLite holds it.
  fileprivate func value(at column: Int) -> SQLValue {
    switch storage(at: column) {
    case .null: .null
    case .integer: .integer(integer(at: column))
    case .real: .real(real(at: column))
    case .text: .text(text(at: column) ?? "")
    case .blob: .blob(data(at: column))
    }
  }
}

extension SQLValue {
  /// The form in which a text is looked up.
  fileprivate var composed: SQLValue {
    if case .text(let text) = self { return .text(ExactText.composed(text)) }
    return self
  }

  /// The value with the equality of Swift: texts have it already, -0.0 has to become 0.0.
  fileprivate var comparable: SQLValue {
    self == SQLValue(exactly: -0.0) ? .real(0) : self
  }
}
