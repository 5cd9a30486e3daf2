import StoreHelpers
import StoreProtocol

/// The rows of one state as records, for the values that the history keeps.
struct HistoryRows {
  private let view: ReadView
  private let plan: ChangePlan
  private let state: StoreState

  /// Creates a view of the rows before a batch.
  init(_ plan: ChangePlan, _ state: StoreState, _ core: StoreCore) throws {
    self.plan = plan
    self.state = state
    view = try ReadView(core, of: state)
  }

  /// Returns a row as it was before the batch, or `nil` if it did not exist.
  func before(_ table: Int, _ key: Int64) throws -> DefaultSnapshot? {
    guard let slot = try view.load(table).slot(of: key) else { return nil }
    try view.prepare(table)
    let record = record(table, key) { view.value(table, slot, $0) }
    try view.check()
    return record
  }

  /// Returns a row as it is after the batch.
  func after(_ table: Int, _ key: Int64) throws -> DefaultSnapshot? {
    if let location = plan.insertLocation(of: key) {
      return try record(table, key) { try value(plan.insertedCell($0, at: location), table, $0) }
    }
    guard var record = try before(table, key) else { return nil }
    for (index, value) in record.values.enumerated() {
      record.values[index] = surviving(value)
    }
    guard let position = plan.updatePositions[key] else { return record }
    for (index, cell) in zip(plan.updated[position].properties, plan.updated[position].cells)
    where isKept(table, index) {
      record.values[index] = try value(cell, table, index)
    }
    return record
  }

  private func record(
    _ table: Int,
    _ key: Int64,
    _ value: (Int) throws -> StoreValue
  ) rethrows -> DefaultSnapshot {
    let entity = plan.map.schema.entities[table]
    return DefaultSnapshot(
      persistentIdentifier: state.identifier(key, in: table),
      entity: entity,
      values: try entity.properties.indices.map { isKept(table, $0) ? try value($0) : .null }
    )
  }

  /// Values that may be stored in files are not kept, unless they are to be preserved.
  private func isKept(_ table: Int, _ index: Int) -> Bool {
    let property = plan.map.schema.entities[table].properties[index]
    return !property.isExternal || property.isPreserved
  }

  private func value(_ cell: Cell, _ table: Int, _ index: Int) throws -> StoreValue {
    let type = plan.map.types[table][index]
    switch (type, cell) {
    case (.reference, .integer(let key)):
      return try target(key, table, index).map(StoreValue.identifier) ?? .null
    case (.references, .keys(let keys)):
      return .identifiers(try keys.compactMap { try target($0, table, index) })
    default: return type.value(of: cell)
    }
  }

  /// Returns the remaining references after the deletions of the batch.
  private func surviving(_ value: StoreValue) -> StoreValue {
    value.mappingReferences { isDeleted($0) ? nil : $0 }
  }

  private func isDeleted(_ identifier: PersistentIdentifier) -> Bool {
    identifier.integerKey.map(plan.deletedKeys.contains) ?? false
  }

  private func target(
    _ key: Int64,
    _ table: Int,
    _ index: Int
  ) throws -> PersistentIdentifier? {
    if plan.deletedKeys.contains(key) { return nil }
    for destination in plan.map.destinations[table][index] {
      if let location = plan.insertLocation(of: key) {
        if location.table == destination { return state.identifier(key, in: destination) }
      } else if try view.load(destination).slot(of: key) != nil {
        return state.identifier(key, in: destination)
      }
    }
    return nil
  }
}
