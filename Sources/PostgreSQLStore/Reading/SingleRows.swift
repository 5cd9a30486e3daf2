import PostgreSQLClient
import SQLTranslation
import StoreProtocol

/// Reads single rows of an entity by their keys, with a statement that is translated once.
final class SingleRows: Sendable {
  private let table: EntityTable
  private let sql: String
  private let session: Session
  private let decoder: RecordDecoder

  init(of entity: String, _ map: StoreMap, _ session: Session) throws {
    table = try map.table(of: entity)
    self.session = session
    decoder = RecordDecoder(map: map)
    let kind = try map.entity(named: entity).entityCondition.map { " AND \($0)" } ?? ""
    let row = RowRequest(table, "WHERE _key = \(bind: .integer(0))\(kind)").statement
      .inSchema(map.space).sql
    sql = session.position?.joined(to: row, seen: "$2") ?? row
  }

  func readRow(_ key: Int64, _ body: (RowReader) throws -> Void) throws {
    let result = try session.readRow(sql, Parameter(key))
    try session.translating(isSaving: false) {
      // Without a row there are the columns of the check.
      guard result.rowCount > 0, try result.integer(0, 0) != nil else { return }
      try decoder.read(table, table.selection, result, body)
    }
  }
}
