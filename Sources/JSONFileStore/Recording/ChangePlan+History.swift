import StoreHelpers
import StoreProtocol

/// The history of a batch.
extension ChangePlan {
  /// Determines the effects of the batch on the history; the rows are still unchanged.
  mutating func addHistory(
    of changes: StoreChanges,
    _ content: HistoryOptions.Content,
    _ state: inout StoreState,
    _ core: StoreCore
  ) throws {
    if !changes.readers.isEmpty { steps = [.move(changes.readers)] }
    result.isInHistory = false
    if isEmpty { return }
    if content == .off {
      return steps.insert(.cut(result.version, save: changes.saveIdentifier), at: 0)
    }
    var record = HistoryRecord(
      number: result.version,
      save: changes.saveIdentifier,
      author: changes.editingState.author,
      origin: changes.origin,
      groups: try historyGroups(of: changes, content, &state, core)
    )
    // A save that only raises the next key changes no row.
    if record.groups.isEmpty { return }
    result.isInHistory = true
    var line = HistoryLine(record)
    if content == .values, !line.fitsDocument {
      // A value that is nested to the limit of a document cannot be nested deeper.
      for index in record.groups.indices {
        (record.groups[index].before, record.groups[index].after) = (nil, nil)
      }
      line = HistoryLine(record)
    }
    self.line = line
  }

  /// Returns the changes of the batch to rows.
  private func historyGroups(
    of changes: StoreChanges,
    _ content: HistoryOptions.Content,
    _ state: inout StoreState,
    _ core: StoreCore
  ) throws -> [HistoryGroup] {
    let entities = map.schema.entities
    var recorder = HistoryRecorder(content, of: changes, firstNewKey: state.nextKey)
    for (entity, rows) in zip(entities, inserted) {
      if let rows { recorder.record(.insert, rows.keys, of: entity) }
    }
    for row in updated {
      let cause = merged.contains(row.key) ? StoreChange.Cause.merge : .program
      recorder.record(.update, [row.key], of: entities[row.table], row.properties, cause: cause)
    }
    for (table, key) in deleted { recorder.record(.delete, [key], of: entities[table]) }
    let losing = try deleted.isEmpty ? [:] : losingRows(&state) { _, _ in true }
    for (row, properties) in losing {
      recorder.record(.update, [row.key], of: entities[row.table], properties, cause: .deleteRule)
    }
    let needsRows = content == .values || map.hasPreservedValues && !deleted.isEmpty
    let rows = needsRows ? try HistoryRows(self, state, core) : nil
    if let rows { try noteValues(&recorder, Array(losing.keys), rows) }
    return try recorder.groups { try rows?.after(map.table(of: $1.name), $0) }
  }

  /// A row and its table.
  struct RowLocation: Hashable {
    let table: Int
    let key: Int64
  }

  /// Returns the rows that refer to rows deleted by the batch, with the properties by which they do.
  ///
  /// - Parameters:
  ///   - state: The state before the batch.
  ///   - trustsInverses: Whether rows at both ends of a relationship agree, as the layer above stores
  ///     them.
  ///   - isIncluded: Selects the properties.
  /// - Returns: The rows.
  /// - Throws: Errors of reading the document.
  func losingRows(
    _ state: inout StoreState,
    trustsInverses: Bool = true,
    by isIncluded: (StoreEntity, StoreProperty) -> Bool
  ) throws -> [RowLocation: [Int]] {
    guard !deleted.isEmpty else { return [:] }
    let gone = Set(deleted.map(\.key))
    let tables = Set(deleted.map(\.table))
    var found: [RowLocation: [Int]] = [:]
    for (index, entity) in map.schema.entities.enumerated() {
      for (number, property) in entity.properties.enumerated()
      where !tables.isDisjoint(with: map.destinations[index][number]) {
        if property.isDerivedToMany || property.relationship == nil { continue }
        guard isIncluded(entity, property) else { continue }
        try state.load(index, file: file)
        for key in referrers(index, number, property, to: gone, &state, trustsInverses) {
          found[RowLocation(table: index, key: key), default: []].append(number)
        }
      }
    }
    return found
  }

  private func referrers(
    _ table: Int,
    _ number: Int,
    _ property: StoreProperty,
    to gone: Set<Int64>,
    _ state: inout StoreState,
    _ trustsInverses: Bool
  ) -> [Int64] {
    if property.isToOne {
      state.withTable(table) { $0.index(number) }
      guard let rows = state.tables[table].table else { return [] }
      return gone.flatMap { key in
        rows.slots(referringTo: key, by: number).map { rows.keys[Int($0)] }
      }
    }
    guard let rows = state.tables[table].table else { return [] }
    // If both ends store the relationship, the deleted rows also contain their owners.
    if trustsInverses, let owners = ownersOfDeleted(by: property, state) {
      return owners.filter { owner in
        rows.slot(of: owner).map { Self.list(rows, number, $0, hasAnyOf: gone) } ?? false
      }
    }
    return (0..<rows.slotCount).compactMap { slot in
      rows.isAlive(slot) && Self.list(rows, number, slot, hasAnyOf: gone) ? rows.keys[slot] : nil
    }
  }

  private static func list(
    _ rows: Table,
    _ number: Int,
    _ slot: Int,
    hasAnyOf gone: Set<Int64>
  ) -> Bool {
    guard case .keys(let keys) = rows.columns[number].cell(slot) else { return false }
    return keys.contains(where: gone.contains)
  }

  /// Returns the rows that the deleted ones refer to by the inverse of a to-many relationship.
  private func ownersOfDeleted(by property: StoreProperty, _ state: StoreState) -> [Int64]? {
    guard let inverse = property.relationship?.inverse else { return nil }
    var owners: Set<Int64> = []
    for (table, key) in deleted {
      guard let index = map.schema.entities[table].indexByName[inverse] else { continue }
      if case .keys(let keys) = cell(index, of: key, table: table, state) { owners.formUnion(keys) }
    }
    return owners.sorted()
  }

  /// Records the values before the batch that the history requires.
  private func noteValues(
    _ recorder: inout HistoryRecorder,
    _ losing: [RowLocation],
    _ rows: HistoryRows
  ) throws {
    let changed = updated.map { RowLocation(table: $0.table, key: $0.key) } + losing
    let locations =
      deleted.map { (RowLocation(table: $0.table, key: $0.key), true) }
      + changed.map { ($0, false) }
    for (location, isDeleted) in locations where recorder.before[location.key] == nil {
      let entity = map.schema.entities[location.table]
      guard recorder.wantsRow(of: entity, deleting: isDeleted) else { continue }
      recorder.before[location.key] = try rows.before(location.table, location.key)
    }
  }
}
