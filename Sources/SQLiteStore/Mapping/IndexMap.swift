import SQLTranslation
import StoreProtocol

/// One index: those of `#Index`, those of unique values, and those of references.
struct IndexMap: Hashable, Sendable {
  /// The index's name: its table and columns, as `Trip(name, startDate)`, with `unique ` before
  /// it where it keeps values unique.
  let name: String

  /// The statement that makes it.
  let sql: String

  /// The statement that made it in files of earlier formats (``FormatUpgrade``).
  let formerSQL: String

  init(name: String, sql: String, formerSQL: String? = nil) {
    self.name = name
    self.sql = sql
    self.formerSQL = formerSQL ?? sql
  }
}

extension SchemaMap {
  /// Every index of the schema, each once.
  func indexes() throws -> [IndexMap] {
    var found: [IndexMap] = []
    var names: Set<String> = []
    func add(_ index: IndexMap?) {
      guard let index, names.insert(index.name).inserted else { return }
      found.append(index)
    }
    for table in tables {
      for constraint in try constraints(of: table) { add(constraint.index) }
      for entity in table.entities {
        let map = try self.entity(named: entity.name)
        for names in entity.indices {
          let columns = names.compactMap { map.column(of: $0) }
          if columns.count == names.count { add(table.index(on: columns)) }
        }
      }
      for column in table.columns {
        if case .reference = column.content { add(table.index(on: [column])) }
      }
      for column in table.externalColumns { add(table.fileIndex(on: column)) }
    }
    for join in joins {
      add(
        IndexMap(
          name: "\(join.name)(member)",
          sql: "CREATE INDEX \(SQLIdentifier.quotedComposite("\(join.name)(member)"))"
            + " ON \(join.sql)(member)"
        )
      )
    }
    return found
  }
}

extension TableMap {
  /// The rows that name files, few among many, for the search for files without a row.
  fileprivate func fileIndex(on column: ColumnMap) -> IndexMap? {
    guard let condition = column.holdsReference else { return nil }
    let name = "files \(name)(\(column.name))"
    return IndexMap(
      name: name,
      sql: "CREATE INDEX \(SQLIdentifier.quotedComposite(name)) ON \(sql)(\(column.sql))"
        + " WHERE \(condition)"
    )
  }

  fileprivate func index(on columns: [ColumnMap]) -> IndexMap? {
    guard !columns.isEmpty else { return nil }
    let name = "\(name)(\(columns.map(\.name).joined(separator: ", ")))"
    let list = columns.map(\.sql).joined(separator: ", ")
    return IndexMap(
      name: name,
      sql: "CREATE INDEX \(SQLIdentifier.quotedComposite(name)) ON \(sql)(\(list))"
    )
  }
}
