import Foundation
import SQLTranslation
import StoreHelpers
import StoreProtocol

/// The changes of a program's own statements in the history.
///
/// SQLite reports which rows they change, but not which columns of each. So every changed row of a
/// table counts as changed in all columns that the statements set. Earlier values are not known. If
/// the table of a deleted row has several entities, its entity is not known either; the topmost is
/// reported.
extension RawChanges {
  /// Writes the changes of the statements to the history.
  func writeHistory(
    _ number: Int64,
    _ options: HistoryOptions,
    _ connection: Connection
  ) throws {
    var recorder = HistoryRecorder(options.content)
    for table in catalog.map.tables {
      let new = inserted[table.name] ?? []
      let gone = deleted[table.name] ?? []
      let owners = try keysOfOwners(in: table, connection)
      let changed = Set(changedKeys(of: table)).union(owners)
      let lists = changedLists(of: table)
      for (name, keys) in try entities(of: Array(changed), in: table, connection) {
        guard let entity = catalog.map.schema.entity(named: name) else { continue }
        let columns = try columns(of: entity, in: table)
        recorder.record(.insert, keys.filter(new.contains), of: entity)
        recorder.record(
          .update,
          keys.filter { !new.contains($0) },
          of: entity,
          columns + lists.compactMap { entity.indexByName[$0] }
        )
      }
      let top = try catalog.map.schema.requiredEntity(table.name)
      recorder.record(.delete, gone.subtracting(new).sorted(), of: top)
    }
    let reader = QueryReader(catalog: catalog, connection: connection)
    let after = try reader.historyRows(recorder.rowsToRead)
    let record = HistoryRecord(
      number: number,
      save: StoreEnvironment.current.makeSaveIdentifier(),
      author: nil,
      groups: recorder.groups { key, _ in after[key] }
    )
    try HistoryWriter(connection: connection).note(record, options)
  }

  /// Returns the indexes of an entity's properties that the statements set.
  ///
  /// They include the references that may have become `nil` because rows were deleted.
  private func columns(of entity: StoreEntity, in table: TableMap) throws -> [Int] {
    let map = try catalog.map.entity(named: entity.name)
    return entity.properties.indices.filter { index in
      guard let column = map.column(of: entity.properties[index].name) else { return false }
      return rules.columns.contains("\(table.name).\(column.name)")
        || (entity.properties[index].isToOne && !deleted.isEmpty)
    }
  }

  /// Returns the names of the relationships of a table's rows whose join tables were written to.
  private func changedLists(of table: TableMap) -> [String] {
    catalog.map.joins.filter { $0.ownerTable == table.name && rules.targets.contains($0.name) }
      .map(\.property)
  }

  /// Returns all rows of a table whose join tables were written to.
  private func keysOfOwners(in table: TableMap, _ connection: Connection) throws -> [Int64] {
    if changedLists(of: table).isEmpty { return [] }
    return try connection.rows("SELECT \(table.key) FROM \(table.sql)") { $0.integer(at: 0) }
  }

  private func entities(
    of keys: [Int64],
    in table: TableMap,
    _ connection: Connection
  ) throws -> [String: [Int64]] {
    if keys.isEmpty { return [:] }
    let name = table.entityColumn ?? "NULL"
    let sql = table.selectionByKeys("\(table.key), \(name)")
    return try connection.withStatement(sql, .text(KeyList.encoded(keys))) {
      var found: [String: [Int64]] = [:]
      while try $0.step() {
        let entity = $0.isNull(at: 1) ? table.name : $0.text(at: 1) ?? table.name
        found[entity, default: []].append($0.integer(at: 0))
      }
      return found
    }
  }
}
