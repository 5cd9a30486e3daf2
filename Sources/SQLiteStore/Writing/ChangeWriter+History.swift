import StoreHelpers
import StoreProtocol

/// Recording of changes in the history.
extension ChangeWriter {
  /// Writes the batch's changes to the history, and returns whether there is a transaction for it.
  func writeHistory(of changes: StoreChanges) throws -> Bool {
    for reader in changes.readers { try ReaderTable(connection: connection).set(reader) }
    var groups: [HistoryGroup] = []
    if let recorder {
      let wanted = recorder.rowsToRead
      let after = try wanted.isEmpty ? [:] : reader.historyRows(wanted)
      groups = recorder.groups { key, _ in after[key] }
    }
    let record = HistoryRecord(
      number: version,
      save: changes.saveIdentifier,
      author: changes.editingState.author,
      origin: changes.origin,
      groups: groups
    )
    return try HistoryWriter(connection: connection).note(record, history)
  }

  /// Reads the values of rows that are about to be changed, if the history needs them.
  func noteBefore(
    _ identifiers: some Sequence<PersistentIdentifier>,
    deleting: Bool = false
  ) throws {
    guard let recorder, history.content == .values || (deleting && catalog.hasPreservedValues)
    else { return }
    var wanted: [String: [Int64]] = [:]
    for identifier in identifiers {
      guard let key = identifier.integerKey, recorder.before[key] == nil,
        key < recorder.firstNewKey
      else { continue }
      wanted[identifier.entityName, default: []].append(key)
    }
    let rows = wanted.filter { name, _ in
      catalog.map.schema.entity(named: name)
        .map { recorder.wantsRow(of: $0, deleting: deleting) } ?? false
    }
    let before = try reader.historyRows(rows.map { (entity: $0.key, keys: $0.value) })
    self.recorder?.before.merge(before) { $1 }
  }

  private var reader: QueryReader { QueryReader(catalog: catalog, connection: connection) }

  /// Records that a row gets the values of a new record.
  func noteMerge(_ row: UniqueFinder.Row, _ plan: WritePlan) throws {
    guard recorder != nil else { return }
    let entity = try catalog.writePlan(of: row.entity).map.entity
    try noteBefore(CollectionOfOne(catalog.identifier(row.key, of: row.entity)))
    let shared = catalog.map.schema.sharedPropertyCount(of: entity, and: plan.map.entity)
    recorder?.record(.update, [row.key], of: entity, Array(0..<shared), cause: .merge)
  }

  /// Records that a row no longer refers to another, because that was deleted or a merged row took
  /// it.
  func noteCounterpart(
    _ identifier: PersistentIdentifier,
    lost property: String,
    cause: StoreChange.Cause
  ) throws {
    guard recorder != nil, let key = identifier.integerKey,
      let entity = catalog.map.schema.entity(named: identifier.entityName),
      let index = entity.indexByName[property]
    else { return }
    recorder?.record(.update, [key], of: entity, [index], cause: cause)
  }

  /// Records rows that are about to be deleted: their values, and the references to them that
  /// SQLite sets to null.
  ///
  /// - Throws: ``DataStoreError/conflict`` if a row would lose one of them that must not.
  func noteDeletion(of runs: [BulkRows], _ protection: ReferenceProtection? = nil) throws {
    guard recorder != nil || protection != nil else { return }
    try noteBefore(runs.lazy.flatMap(\.identifiers), deleting: true)
    let related = RelatedRows(catalog: catalog, connection: connection)
    for (table, runs) in Dictionary(grouping: runs, by: \.plan.map.table.name) {
      let keys = runs.flatMap(\.keys)
      for reference in catalog.references(to: table) {
        let isProtected = protection?.protects(reference.property, of: reference.entity) == true
        guard recorder != nil || isProtected else { continue }
        let losing = try related.referrers(by: reference, to: keys)
        if isProtected { try protection?.check(losing, referringBy: reference.property) }
        try noteBefore(losing)
        for identifier in losing {
          try noteCounterpart(identifier, lost: reference.property, cause: .deleteRule)
        }
      }
    }
  }
}

extension QueryReader {
  /// Returns rows by their keys, with the values that the history keeps.
  func historyRows(
    _ wanted: [(entity: String, keys: [Int64])]
  ) throws -> [Int64: DefaultSnapshot] {
    var found: [Int64: DefaultSnapshot] = [:]
    for (entity, keys) in wanted {
      let scope = try catalog.scope(of: entity)
      let identifiers = keys.map { PersistentIdentifier(scope: scope, key: .integer($0)) }
      var query = StoreQuery.rows(identifiers, of: entity)
      query.properties = catalog.map.schema.entity(named: entity)?.properties
        .filter { !$0.isExternal || $0.isPreserved }.map(\.name)
      for row in try records(query) {
        row.persistentIdentifier.integerKey.map { found[$0] = row }
      }
    }
    return found
  }
}
