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
    var found: [IndexMap?] = []
    for table in tables {
      let constraints = try constraints(of: table, format: format)
      found += constraints.map(\.index)
      // The index of a subentity's constraint contains only the rows of that entity.
      let served = try constraints.filter { try entity(named: $0.entity).entityCondition == nil }
        .map(\.columns)
      for columns in try wantedIndexes(of: table)
      where format < FileFormat.firstWithoutServedIndexes || !served.contains(columns) {
        found.append(table.index(on: columns))
      }
      found += table.columns.filter(\.isReference).map { table.index(on: [$0]) }
      found += table.externalColumns.map(table.fileIndex)
    }
    found += joins.map { IndexMap("\($0.name)(member)", on: $0.sql, ["member"]) }
    return found.compactMap(\.self).withoutRepeats
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
