import Foundation
import SQLTranslation
import StoreFiles
import StoreProtocol

/// Columns that hold references to files in the place of large values.
///
/// A reference stands in a storage class that no value of the column has: a text among blobs, a blob
/// among texts. The first one marks its column in the metadata table, in the transaction that stores
/// it, so that the column is read with care also by a program whose schema lacks the option. A mark
/// is taken back when a change of the schema brings all values of the column into their rows.
enum FileColumns {
  private static let prefix = "files:"

  /// The key of a column's mark in the metadata table.
  static func key(of column: ColumnMap, in table: String) -> String {
    "\(prefix)\(table).\(column.name)"
  }

  /// The marks of a file.
  static func marks(on connection: Connection) throws -> Set<String> {
    let sql = "SELECT key FROM \"OpenSwiftData\" WHERE key >= 'files:' AND key < 'files;'"
    return try connection.withStatement(sql) {
      var marks: Set<String> = []
      while try $0.step() { marks.insert($0.text(at: 0) ?? "") }
      return marks
    }
  }

  /// The names of the files that rows name.
  static func names(_ map: SchemaMap, on connection: Connection) throws -> Set<String> {
    Set(try references(map, on: connection).map(\.name))
  }

  /// The references to files that rows have.
  static func references(
    _ map: SchemaMap,
    on connection: Connection
  ) throws -> Set<FileReference> {
    var references: Set<FileReference> = []
    for table in map.tables {
      for column in table.fileColumns {
        guard let type = column.type, let condition = column.holdsReference else { continue }
        let sql = "SELECT \(column.sql) FROM \(table.sql) WHERE \(condition)"
        try connection.withStatement(sql) {
          while try $0.step() {
            if let reference = $0.fileReference(at: 0, as: type) { references.insert(reference) }
          }
        }
      }
    }
    return references
  }

  /// The statements that bring all values of a column into their rows.
  static func returning(_ column: ColumnMap, in table: TableMap) -> [String] {
    guard let type = column.type, let condition = column.holdsReference else { return [] }
    let value = FileFunction.call(
      SQLFragment(column.sql),
      as: type,
      entity: table.name,
      property: column.name
    )
    let mark = SQLText.literal(key(of: column, in: table.name))
    return [
      "UPDATE \(table.sql) SET \(column.sql) = \(value.text) WHERE \(condition)",
      "DELETE FROM \"OpenSwiftData\" WHERE key = \(mark)",
    ]
  }
}

extension ColumnMap {
  /// The condition that a row has a reference to a file; nil where no row can.
  var holdsReference: String? {
    guard let word = type?.referenceStorage?.word else { return nil }
    return "typeof(\(sql)) = '\(word)'"
  }
}

extension AttributeType {
  /// How a reference to a file is held among values of the type, nil where there are none.
  var referenceStorage: SQLStorage? {
    switch self {
    case .data: .text
    case .string, .codable: .blob
    default: nil
    }
  }
}

extension SQLStorage {
  /// What SQL's `typeof` says.
  fileprivate var word: String {
    switch self {
    case .integer: "integer"
    case .real: "real"
    case .text: "text"
    case .blob: "blob"
    case .null: "null"
    }
  }
}

extension SQLValue {
  /// A reference to a file among the values of a type.
  init(_ reference: FileReference, as type: AttributeType) {
    self =
      type.referenceStorage == .text
      ? .text(reference.text) : .blob(Data(reference.text.utf8))
  }
}

extension SQLRow {
  /// The reference to a file that stands in the place of a value, nil where there is none.
  func fileReference(at column: Int, as type: AttributeType) -> FileReference? {
    let storage = storage(at: column)
    guard storage == type.referenceStorage else { return nil }
    if storage == .text { return text(at: column).flatMap(FileReference.init(_:)) }
    return withBytes(at: column) { bytes in
      String(validating: bytes, as: UTF8.self).flatMap(FileReference.init(_:))
    }
  }
}
