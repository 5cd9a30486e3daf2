import SQLTranslation
import StoreProtocol

/// An index for an `#Index`, for unique values, or for references.
struct IndexMap: Hashable, Sendable {
  /// The index's name: its table and columns, such as `Trip(name, startDate)`.
  ///
  /// The names of unique indexes begin with `unique `.
  let name: String

  /// The statement that creates it.
  let sql: String

  /// Creates an index of terms of a table, of the rows that fulfil a condition if there is one.
  init(
    _ name: String,
    on table: String,
    _ terms: [String],
    _ condition: String? = nil,
    isUnique: Bool = false
  ) {
    self.name = name
    sql =
      "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(SQLIdentifier.quotedComposite(name)) ON \(table)"
      + "(\(terms.joined(separator: ", ")))\(condition.map { " WHERE \($0)" } ?? "")"
  }
}

extension SchemaMap {
  /// Returns the indexes of the schema in a file of a format, without duplicates.
  func indexes(format: Int64 = FileFormat.current) throws -> [IndexMap] {
    var found: [IndexMap] = []
    var names: Set<String> = []
    func add(_ index: IndexMap?) {
      guard let index, names.insert(index.name).inserted else { return }
      found.append(index)
    }
    for table in tables {
      let constraints = try constraints(of: table, format: format)
      for constraint in constraints { add(constraint.index) }
      // The index of a subentity's constraint contains only the rows of that entity.
      let served = try constraints.filter { try entity(named: $0.entity).entityCondition == nil }
        .map(\.columns)
      for columns in try wantedIndexes(of: table)
      where format < FileFormat.firstWithoutServedIndexes || !served.contains(columns) {
        add(table.index(on: columns))
      }
      for column in table.columns where column.isReference { add(table.index(on: [column])) }
      for column in table.externalColumns { add(table.fileIndex(on: column)) }
    }
    for join in joins { add(IndexMap("\(join.name)(member)", on: join.sql, ["member"])) }
    return found
  }

  /// The columns of each `#Index` of a table's entities.
  private func wantedIndexes(of table: TableMap) throws -> [[ColumnMap]] {
    try table.entities.flatMap { entity in
      let map = try self.entity(named: entity.name)
      return entity.indices.compactMap { names in
        let columns = names.compactMap { map.column(of: $0) }
        return columns.count == names.count ? columns : nil
      }
    }
  }
}

extension TableMap {
  /// Returns an index of the few rows that refer to files, for the search for files without a row.
  fileprivate func fileIndex(on column: ColumnMap) -> IndexMap? {
    guard let condition = column.holdsReference else { return nil }
    return IndexMap("files \(name)(\(column.name))", on: sql, [column.sql], condition)
  }

  fileprivate func index(on columns: [ColumnMap]) -> IndexMap? {
    guard !columns.isEmpty else { return nil }
    let name = "\(name)(\(columns.map(\.name).joined(separator: ", ")))"
    return IndexMap(name, on: sql, columns.map(\.sql))
  }
}
