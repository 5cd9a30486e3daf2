import QueryEvaluation
import StoreProtocol

/// Finds rows and related rows for the evaluator, and caches them for one query.
final class RowLookup {
  private let content: SourceContent
  private var rows: [PersistentIdentifier: SnapshotRow] = [:]
  private var members: [String: [PersistentIdentifier: [PersistentIdentifier]]] = [:]

  init(_ content: SourceContent) {
    self.content = content
  }

  /// Returns the row of an identifier, or `nil` if there is none.
  func row(_ identifier: PersistentIdentifier) throws -> SnapshotRow? {
    if let cached = rows[identifier] { return cached }
    guard let entity = content.schema.entity(named: identifier.entityName) else { return nil }
    var found: SnapshotRow?
    try content.rows(of: entity.root, includesSubentities: true, [identifier]) { record in
      let entity = content.schema.entity(named: record.persistentIdentifier.entityName)
      found = entity.map { SnapshotRow(record, $0) }
      return false
    }
    rows[identifier] = found
    return found
  }

  /// Returns the related rows of a property of a row, in order.
  func members(_ row: SnapshotRow, _ index: Int) throws -> [PersistentIdentifier] {
    let property = row.entity.properties[index]
    var listed: [PersistentIdentifier] = []
    if case .identifiers(let list) = row.value(at: index) { listed = list }
    guard property.isDerivedToMany, let relationship = property.relationship,
      let inverse = relationship.inverse
    else { return listed }
    let key = "\(relationship.destination).\(inverse)"
    if members[key] == nil {
      // One pass over the destination finds the owners of all rows.
      var belonging: [PersistentIdentifier: [PersistentIdentifier]] = [:]
      try content.rows(of: relationship.destination, includesSubentities: true, nil) { record in
        if case .identifier(let owner)? = record[inverse] {
          belonging[owner, default: []].append(record.persistentIdentifier)
        }
        return true
      }
      members[key] = belonging
    }
    return MemberOrder.ordered(members[key]?[row.identifier] ?? [], by: listed)
  }
}
