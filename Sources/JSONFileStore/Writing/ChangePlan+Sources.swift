import StoreHelpers
import StoreProtocol

/// Rows that are read directly from their objects.
///
/// This applies only to entities for which ``TableMap/readsSources(of:)`` is `true`: they have no
/// constraints and no relationships, so a row does not affect others.
extension ChangePlan {
  /// Adds the new rows of a source, which have consecutive keys.
  mutating func insert(_ source: any RowProducer, _ state: inout StoreState) throws {
    let table = try map.table(of: source.entityName)
    try state.load(table, file: file)
    let stored = state.tables[table]
    let writer = ColumnWriter(stored.entity, map.types[table], count: source.count, values)
    for position in 0..<source.count { try writer.add(position, of: source) }
    let firstKey = values.nextKey
    let rows = Table(
      entity: stored.entity,
      scope: stored.scope,
      keys: Array(firstKey..<firstKey + Int64(source.count)),
      columns: writer.takeColumns()
    )
    result.firstKeys.append(firstKey)
    values.nextKey += Int64(source.count)
    if inserted[table] == nil {
      inserted[table] = rows
    } else {
      inserted[table]?.append(rows, save: result.version)
    }
  }

  mutating func update(_ source: any UpdateProducer, _ state: inout StoreState) throws {
    let scope = scopes[try map.table(of: source.entityName)]
    for update in try source.updates(in: scope) { try self.update(update, &state) }
  }
}

extension TableMap {
  /// Returns whether new and changed rows of an entity can be read directly from their objects.
  func readsSources(of entity: String) -> Bool {
    guard let table = try? table(of: entity), tableConstraints[table].isEmpty else { return false }
    return types[table].allSatisfy { type in
      switch type {
      case .reference, .references, .codable, .ephemeral: false
      default: true
      }
    }
  }
}
