import SQLTranslation
import StoreFiles
import StoreProtocol

/// Storage of values that are too large for their rows.
extension ChangeWriter {
  /// Writes a value to a file if it is too large for its row.
  ///
  /// - Returns: The reference that the row stores instead, or `nil` if the row stores the value.
  func filed(
    _ value: SQLValue,
    _ column: WriteColumn,
    _ plan: WritePlan
  ) throws -> SQLValue? {
    guard let files, column.isExternal, let type = column.type else { return nil }
    let entity = plan.map.entity
    let property = entity.properties[column.property].name
    let reference: FileReference
    switch value {
    case .blob(let data) where data.count > files.threshold:
      reference = try data.withUnsafeBytes {
        try files.write($0, entity: entity.name, property: property)
      }
    case .text(var text) where text.utf8.count > files.threshold:
      reference = try text.withUTF8 {
        try files.write(UnsafeRawBufferPointer($0), entity: entity.name, property: property)
      }
    default: return nil
    }
    _ = try mark(column.map.fileMark(in: plan.map.table.name))
    return SQLValue(reference, as: type)
  }

  /// Releases the files of a row that is about to be removed, or whose given columns are about to
  /// change.
  func releaseFiles(
    of key: Int64,
    in table: TableMap,
    _ columns: [ColumnMap]? = nil
  ) throws {
    guard let files else { return }
    let held = table.fileColumns.filter { columns?.contains($0) ?? true }
    if held.isEmpty { return }
    let list = held.map(\.sql).joined(separator: ", ")
    try connection.withStatement(table.selectionByKey(list), .integer(key)) { row in
      guard try row.step() else { return }
      for (index, column) in held.enumerated() {
        guard let type = column.type else { continue }
        if let reference = row.fileReference(at: index, as: type) { files.release(reference) }
      }
    }
  }

  /// Keeps the files to which a row still refers: another program may have copied a row with its
  /// reference.
  func keepSharedFiles(_ files: ValueFileBatch) throws {
    for table in catalog.map.tables {
      for column in table.fileColumns {
        guard let type = column.type, let condition = column.holdsReference else { continue }
        let sql = "SELECT 1 FROM \(table.sql) WHERE \(column.sql) = ? AND \(condition)"
        for reference in files.released
        where try connection.hasRow(sql, SQLValue(reference, as: type)) {
          files.keep(reference)
        }
      }
    }
  }
}
