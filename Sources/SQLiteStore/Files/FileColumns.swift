import Foundation
import SQLTranslation
import StoreFiles
import StoreProtocol

/// Columns with references to files in place of large values.
///
/// A reference is stored in a storage class that no value of the column has: text among blobs, a
/// blob among text. The first one marks its column in the metadata table, in the transaction that
/// stores it. So a program whose schema lacks the option also reads the column correctly. A mark is
/// removed when a change of the schema moves all values of the column into their rows.
enum FileColumns {
  private static let prefix = "files:"

  /// The key of a column's mark in the metadata table.
  static func key(of column: ColumnMap, in table: String) -> String {
    "\(prefix)\(table).\(column.name)"
  }

  /// Returns the marks of a file.
  static func marks(on connection: Connection) throws -> Set<String> {
    let sql = "SELECT key FROM \"OpenSwiftData\" WHERE key >= 'files:' AND key < 'files;'"
    return try connection.withStatement(sql) {
      var marks: Set<String> = []
      while try $0.step() { marks.insert($0.text(at: 0) ?? "") }
      return marks
    }
  }

  /// Returns the names of the files to which rows refer.
  static func names(_ map: SchemaMap, on connection: Connection) throws -> Set<String> {
    Set(try references(map, on: connection).map(\.name))
  }

  /// Returns the references to files in rows.
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

  /// Returns the statements that move all values of a column into their rows.
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
  /// The condition that a row has a reference to a file, or `nil` if no row can have one.
  var holdsReference: String? {
    guard let word = type?.referenceStorage?.word else { return nil }
    return "typeof(\(sql)) = '\(word)'"
  }
}

extension AttributeType {
  /// The storage class of a reference to a file among values of the type, or `nil` if there are
  /// none.
  var referenceStorage: SQLStorage? {
    switch self {
    case .data: .text
    case .string, .codable: .blob
    default: nil
    }
  }
}

extension SQLStorage {
  /// The result of SQL's `typeof` for the storage class.
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
  /// Creates the stored form of a reference to a file among the values of a type.
  init(_ reference: FileReference, as type: AttributeType) {
    self =
      type.referenceStorage == .text
      ? .text(reference.text) : .blob(Data(reference.text.utf8))
  }
}

extension SQLRow {
  /// Returns the reference to a file that is stored in place of a value, or `nil` if there is none.
  func fileReference(at column: Int, as type: AttributeType) -> FileReference? {
    let storage = storage(at: column)
    guard storage == type.referenceStorage else { return nil }
    if storage == .text { return text(at: column).flatMap(FileReference.init(_:)) }
    return withBytes(at: column) { bytes in
      String(validating: bytes, as: UTF8.self).flatMap(FileReference.init(_:))
    }
  }
}
