import SQLTranslation
import StoreFiles
import StoreProtocol
import StructuredText

/// Converts keys of other rows to identifiers with the rows' own entities.
///
/// If a table holds one entity, the key is sufficient; if it holds a hierarchy, the row is read.
struct ReferenceReader {
  let catalog: Catalog
  let connection: Connection

  func identifier(
    _ key: Int64,
    in tableName: String,
    entity: String
  ) throws -> PersistentIdentifier {
    let table = catalog.map.table(named: tableName)
    let own = try table.flatMap { try connection.entity(ofRow: key, in: $0) }
    return try catalog.identifier(key, of: own ?? entity)
  }

  /// Returns the identifiers of a JSON list of keys in its order, without rows that no longer
  /// exist.
  func identifiers(listed text: String, entity: String) throws -> [PersistentIdentifier] {
    let table = try catalog.map.entity(named: entity).table
    let sql =
      "SELECT \(table.identifier) FROM json_each(?) AS list"
      + " JOIN \(table.sql) ON \(table.key) = list.value ORDER BY list.key"
    return try connection.rows(sql, .text(text)) { try catalog.identifier($0, in: table, entity) }
  }

  /// Returns the value of the file to which a column refers, or `nil` if it has no reference.
  ///
  /// - Throws: ``DataStoreError/storeDamaged`` if the file is not the one that was saved.
  func value(
    _ statement: Statement,
    at column: Int,
    as type: AttributeType,
    _ entity: StoreEntity,
    _ property: StoreProperty
  ) throws -> StoreValue? {
    guard let files = connection.options.files,
      let reference = statement.fileReference(at: column, as: type)
    else { return nil }
    do throws(ValueFileError) {
      switch type {
      case .data: return .data(try files.data(of: reference))
      case .string: return .string(try files.text(of: reference))
      default:
        let text = try files.text(of: reference)
        return try? JSONText.decoded(text)
      }
    } catch {
      throw error.translated(entity: entity.name, property: property.name)
    }
  }
}

extension Connection {
  /// Returns the entity of a row, or `nil` if its table holds one entity or there is no such row.
  func entity(ofRow key: Int64, in table: TableMap) throws -> String? {
    guard let column = table.entityColumn else { return nil }
    return try first(table.selectionByKey(column), .integer(key)) { $0.text(at: 0) }
  }
}
