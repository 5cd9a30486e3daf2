import SQLTranslation
import StoreProtocol

extension ColumnMap {
  /// The condition that a row has a reference to a file, or `nil` if no row can have one.
  var holdsReference: String? {
    guard let storage = type?.referenceStorage else { return nil }
    return "typeof(\(sql)) = '\(storage == .text ? "text" : "blob")'"
  }

  /// Returns the key in the metadata table that marks the column as one with references to files.
  func fileMark(in table: String) -> String { "files:\(table).\(name)" }
}

extension StoreProperty {
  /// Whether large values of the attribute are stored in files.
  ///
  /// Values that SQLite itself has to compare stay in the row: unique and indexed values, and
  /// strings with an index of words.
  func keepsFiles(in family: [StoreEntity]) -> Bool {
    isExternal && attributeType?.referenceStorage != nil && !mustStayInRow(in: family)
  }

  /// Whether an index of the database includes the values of the attribute.
  func mustStayInRow(in family: [StoreEntity]) -> Bool {
    isSearchedString
      || family.contains { entity in
        (entity.allConstraints + entity.indices).contains { $0.contains(name) }
      }
  }
}
