import PostgreSQLClient
import SQLTranslation
import StoreProtocol

/// Reads single rows of an entity by their keys, with a statement that is translated once.
final class SingleRows: RowSource {
  private let table: EntityTable
  private let sql: String
  private let session: Session
  private let decoder: RecordDecoder

  init(of entity: String, _ map: StoreMap, _ session: Session) throws {
    table = try map.table(of: entity)
    self.session = session
    decoder = RecordDecoder(map: map)
    let kind = try map.entity(named: entity).entityCondition.map { " AND \($0)" } ?? ""
    sql =
      RowRequest(table, "WHERE _key = \(bind: .integer(0))\(kind)").statement
      .inSchema(map.space).sql
  }

  func readRow(_ key: Int64, _ body: (RowReader) throws -> Void) throws {
    let results = try session.read([Statement(sql, [Parameter(key)], isPrepared: true)])
    try session.translating(isSaving: false) {
      try results.forEach { try decoder.read(table, table.selection, $0, body) }
    }
  }
}
