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
  static func marks(on connection: Connection) throws -> Set<String> {
    let sql = "SELECT key FROM \"OpenSwiftData\" WHERE key >= 'files:' AND key < 'files;'"
    return Set(try connection.rows(sql) { $0.text(at: 0) ?? "" })
  }

  static func references(
    _ map: SchemaMap,
    on connection: Connection
  ) throws -> Set<FileReference> {
    var references: Set<FileReference> = []
    for table in map.tables {
      for column in table.fileColumns {
        guard let type = column.type, let condition = column.holdsReference else { continue }
        let sql = "SELECT \(column.sql) FROM \(table.sql) WHERE \(condition)"
        references.formUnion(try connection.rows(sql) { $0.fileReference(at: 0, as: type) })
      }
    }
    return references
  }

  /// Returns whether a row refers to a file.
  ///
  /// Only columns with a mark can contain a reference.
  static func haveReferences(_ map: SchemaMap, on connection: Connection) throws -> Bool {
    let marks = try marks(on: connection)
    return try map.tables.contains { table in
      try table.fileColumns.contains { column in
        guard marks.contains(column.fileMark(in: table.name)),
          let condition = column.holdsReference
        else { return false }
        let sql = "SELECT 1 FROM \(table.sql) WHERE \(condition) LIMIT 1"
        return try connection.integer(sql) != nil
      }
    }
  }

  /// Removes the files that a failure or a kill has left without a row, as far as possible.
  ///
  /// The rest is left for the next time.
  ///
  /// It is only called under the sidecar lock, so that no save is running whose rows are not
  /// committed yet.
  static func sweep(_ files: ValueFiles, _ map: SchemaMap, on connection: Connection) throws {
    let names = try files.ownNames()
    if names.isEmpty { return }
    let used = Set(try references(map, on: connection).map(\.name))
    let orphans = names.filter { !used.contains($0) }
    // The current rows may be in the system's memory alone, and a power loss may restore rows that
    // refer to one of these files. Only the database file is certain.
    if !orphans.isEmpty, connection.checkpoint() { files.remove(orphans) }
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
    let mark = SQLText.literal(column.fileMark(in: table.name))
    return [
      "UPDATE \(table.sql) SET \(column.sql) = \(value.text) WHERE \(condition)",
      "DELETE FROM \"OpenSwiftData\" WHERE key = \(mark)",
    ]
  }
}
