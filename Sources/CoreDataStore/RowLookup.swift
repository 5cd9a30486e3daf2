import QueryEvaluation
import StoreProtocol

extension SourceContent {
  /// Returns a record as a row for the evaluator, or `nil` if the schema lacks its entity.
  func row(of record: DefaultSnapshot) -> SnapshotRow? {
    schema.entity(named: record.persistentIdentifier.entityName).map { SnapshotRow(record, $0) }
  }
}

/// Finds rows and related rows for the evaluator, and caches them for one query.
final class RowLookup {
  private let content: SourceContent
  private var rows: [PersistentIdentifier: SnapshotRow] = [:]
  let members: MemberLookup

  init(_ content: SourceContent) {
    self.content = content
    members = MemberLookup { entity, body in
      try content.rows(of: entity, nil) { record in
        try body(record)
        return true
      }
    }
  }

  /// Returns the row of an identifier, or `nil` if there is none.
  func row(_ identifier: PersistentIdentifier) throws -> SnapshotRow? {
    if let cached = rows[identifier] { return cached }
    guard let entity = content.schema.entity(named: identifier.entityName) else { return nil }
    var found: SnapshotRow?
    try content.rows(of: entity.root, [identifier]) { record in
      found = content.row(of: record)
      return false
    }
    rows[identifier] = found
    return found
  }
}
