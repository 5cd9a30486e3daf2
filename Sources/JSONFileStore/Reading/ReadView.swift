import Foundation
import QueryEvaluation
import StoreFiles
import StoreProtocol

/// The rows of one entity in one state, in a class so that passing them costs one reference.
final class LoadedTable {
  let table: Table
  let columns: [Column]
  let entity: StoreEntity
  /// The table's index in the store.
  let number: Int
  /// Whether the rows that its references require are read.
  var isPrepared = false

  init(_ table: Table, _ number: Int) {
    self.table = table
    self.number = number
    columns = table.columns
    entity = table.entity
  }
}

/// One consistent state of the store, as read by one call.
///
/// Concurrent saves are not visible. Rows are read from the document when they are first needed;
/// ``prepare(_:)`` must be called for a table before its values are read.
final class ReadView {
  let map: TableMap
  private let core: StoreCore
  private var state: StoreState
  /// The rows that were needed so far, by entity.
  private(set) var tables: [LoadedTable?]
  private var failure: (any Error)?
  /// Whether rows that are read from the document are also kept by the store.
  private let shares: Bool

  /// Creates a view of the current state, or of the state of a save whose lock is held.
  init(_ core: StoreCore, of given: StoreState? = nil) throws {
    self.core = core
    map = core.map
    shares = given == nil
    // Before choosing the state whose rows may name files.
    try core.rowFiles?.beginReading(patience: 0)
    do {
      state = try given ?? core.currentState()
    } catch {
      core.rowFiles?.endReading()
      throw error
    }
    tables = Array(repeating: nil, count: state.tables.count)
  }

  deinit {
    core.rowFiles?.endReading()
  }

  /// The files of large values.
  var valueFiles: ValueFiles { core.valueFiles }

  /// Records the first error in code that cannot throw.
  func note(_ error: any Error) {
    if failure == nil { failure = error }
  }

  /// Throws the error that was recorded while rows were evaluated or created, if any.
  func check() throws {
    if let failure { throw failure }
  }

  /// Returns the rows of an entity in this state.
  @discardableResult
  func load(_ index: Int) throws -> Table {
    if let loaded = tables[index] { return loaded.table }
    let table = try state.tables[index].table ?? read(index)
    tables[index] = LoadedTable(table, index)
    return table
  }

  /// Reads the rows of an entity from the text of the document.
  private func read(_ index: Int) throws -> Table {
    // The store may have gone on since; but while it has the same text, it has the same rows.
    let table =
      try (shares ? core.load(index) : nil)
      ?? state.tables[index].loaded(
        from: state.source,
        nextKey: state.sourceNextKey,
        file: core.path
      )
    if shares, state.tables[index].isText { core.keep(table, of: index) }
    return table
  }

  /// Indexes the rows that refer to others by a property, also in the store if it still has the
  /// rows of this state.
  func makeIndex(_ index: Int, _ property: Int) throws -> Table {
    var table = try load(index)
    let shared = try core.makeIndex(index, property, ifRowsAre: table)
    if let shared {
      table = shared
    } else {
      table.index(property)
    }
    tables[index] = LoadedTable(table, index)
    return table
  }

  /// Returns the index of an entity by some properties, and creates it if there is none.
  func index(_ number: Int, by properties: [Int]) throws -> TableIndex {
    var table = try load(number)
    if let index = table.index(by: properties) {
      index.use.note()
      return index
    }
    let index = TableIndex(table, by: properties)
    core.keep(index, of: number, ifRowsAre: table)
    table.keep(index)
    tables[number] = LoadedTable(table, number)
    return index
  }

  /// Makes the values of an entity's rows readable: references require the rows that they refer to.
  func prepare(_ index: Int) throws {
    if tables[index]?.isPrepared == true { return }
    let table = try load(index)
    for (property, type) in map.types[index].enumerated()
    where type == .reference || (type == .references && table.columns[property].listCount > 0) {
      for destination in map.destinations[index][property] { try load(destination) }
    }
    tables[index]?.isPrepared = true
  }

  /// Returns the row of an identifier by its key, or `nil` if there is none.
  func find(_ identifier: PersistentIdentifier) throws -> StoredRow? {
    guard let key = identifier.integerKey, key > 0 else { return nil }
    for index in try map.hierarchy(of: identifier.entityName) {
      if let slot = try load(index).slot(of: key) {
        try prepare(index)
        return tables[index].map { StoredRow(view: self, source: $0, slot: slot) }
      }
    }
    return nil
  }

  /// Returns the table of the row that a property's key refers to, or `nil` if there is no such
  /// row.
  @inline(__always)
  private func destination(_ key: Int64, _ table: Int, _ property: Int) -> Int? {
    for index in map.destinations[table][property] where tables[index]?.table.slot(of: key) != nil {
      return index
    }
    return nil
  }

  /// Returns the identifier in a to-one property of a row, or `nil` if it has none.
  func reference(_ table: Int, _ slot: Int, _ property: Int) -> PersistentIdentifier? {
    guard let column = tables[table]?.columns[property], !column.isNull(slot),
      let target = destination(column.integer(slot), table, property),
      let scope = tables[target]?.table.scope
    else { return nil }
    return PersistentIdentifier(scope: scope, key: .integer(column.integer(slot)))
  }

  /// Returns the identifiers in a to-many property of a row, without those of deleted rows.
  func references(_ table: Int, _ slot: Int, _ property: Int) -> [PersistentIdentifier]? {
    guard let column = tables[table]?.columns[property], !column.isNull(slot) else { return nil }
    return column.keys(slot).compactMap { key in
      guard let target = destination(key, table, property), let scope = tables[target]?.table.scope
      else { return nil }
      return PersistentIdentifier(scope: scope, key: .integer(key))
    }
  }

  @inline(__always)
  func value(_ table: Int, _ slot: Int, _ property: Int) -> StoreValue {
    guard let column = tables[table]?.columns[property] else { return .null }
    switch column.type {
    case .reference: return reference(table, slot, property).map(StoreValue.identifier) ?? .null
    case .references:
      return references(table, slot, property).map(StoreValue.identifiers) ?? .null
    case .external: return externalValueOrFailure(table, slot, property)
    default: return column.value(slot)
    }
  }

  func record(_ row: StoredRow) -> DefaultSnapshot {
    var record = DefaultSnapshot(
      persistentIdentifier: row.identifier,
      entity: row.entity,
      values: row.source.columns.indices.map(row.value)
    )
    record.version = row.source.table.rowVersion(row.slot)
    return record
  }
}

/// A row in one state of the store.
struct StoredRow: QueryRow {
  let view: ReadView
  /// The rows of its entity.
  let source: LoadedTable
  let slot: Int

  /// The index of the row's table in the store.
  var table: Int { source.number }

  var identifier: PersistentIdentifier { source.table.identifier(slot) }

  var entity: StoreEntity { source.entity }

  func value(at index: Int) -> StoreValue {
    let column = source.columns[index]
    switch column.type {
    case .reference, .references, .external: return view.value(table, slot, index)
    default: return column.value(slot)
    }
  }
}
