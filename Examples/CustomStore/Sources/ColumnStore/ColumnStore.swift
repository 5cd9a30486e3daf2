import Foundation
import QueryEvaluation
import StoreProtocol
import Synchronization

/// A description of a column store, whose rows are in the memory of this process.
///
/// Copies of a configuration refer to the same rows.
public struct ColumnConfiguration: DataStoreConfiguration, Sendable {
  public typealias Store = ColumnStore

  final class Storage: Sendable {
    let identifier = UUID().uuidString
    let state = Mutex<ColumnState?>(nil)
  }

  public let name = "columns"
  public var schema: Schema?
  let storage = Storage()

  public init(schema: Schema? = nil) { self.schema = schema }
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.storage === rhs.storage }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(storage)) }
}

/// A store in memory that keeps the values of each property together.
///
/// It supports every way to read and write that a store can have: rows without records, single rows by key, members
/// with their owners, and new objects without snapshots of them.
public final class ColumnStore: RecordStore {
  public typealias Configuration = ColumnConfiguration
  public typealias Snapshot = DefaultSnapshot
  public let configuration: ColumnConfiguration
  public let schema: Schema
  private let storage: ColumnConfiguration.Storage

  public init(
    _ configuration: ColumnConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    try configuration.schema.map { try Self.can.check($0.storeSchema) }
    self.configuration = configuration
    let storage = configuration.storage
    self.storage = storage
    let wanted = configuration.schema?.storeSchema
    let stored = try storage.state.withLock { state in
      guard let schema = state?.schema ?? wanted else {
        throw DataStoreError(.invalidConfiguration, "a new store needs a schema")
      }
      guard wanted == nil || wanted == schema else {
        throw DataStoreError(.schemaMismatch, "the store has rows of another schema")
      }
      if state == nil { state = ColumnState(schema, identifier: storage.identifier) }
      return schema
    }
    schema = configuration.schema ?? Schema(storeSchema: stored)
  }

  static let can = StoreCapabilities(
    filtering: .native,
    sorting: .native,
    versions: .native,
    durability: .none
  )

  public var capabilities: StoreCapabilities { Self.can }
  public var identifier: String { storage.identifier }

  /// The rows as they are now; later saves do not reach this copy.
  func state() throws -> ColumnState {
    guard let state = storage.state.withLock({ $0 }) else {
      throw DataStoreError(.invalidConfiguration, "the store has no schema")
    }
    return state
  }

  public func read(_ query: StoreQuery, _ body: (RowReader) throws -> Void) throws {
    let state = try state()
    let reader = ColumnReader(state)
    for location in try state.evaluate(query) {
      reader.move(to: location)
      try body(reader)
    }
  }

  public func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier],
    wantsRows: Bool,
    _ body: (_ owner: Int64, RowReader) throws -> Void
  ) throws -> StoreMembers {
    let state = try state()
    guard wantsRows,
      let relationship = state.schema.entity(named: entity)?
        .property(named: property)?.relationship
    else { return .listed(try listedMembers(of: property, in: entity, owners: owners)) }
    let owners = owners.compactMap(\.integerKey)
    let reader = ColumnReader(state)
    try state.forEachMember(of: relationship, owners: Set(owners)) {
      reader.move(to: $1)
      try body($0, reader)
    }
    var orders: [Int64: [Int64]] = [:]
    for owner in owners {
      guard let location = state.location(of: owner),
        let index = state.tables[location.table].entity.indexByName[property],
        case .identifiers(let list) = state.value(location, index)
      else { continue }
      orders[owner] = list.compactMap(\.integerKey)
    }
    return .read(orders: orders)
  }

  public func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    try check(changes)
    return try storage.state.withLock { state in
      guard var next = state else { return StoreChangesResult() }
      let result = try next.apply(changes)
      state = next
      return result
    }
  }

  public func erase() throws { storage.state.withLock { $0?.erase() } }
}

/// Reads rows straight from the columns.
final class ColumnReader: RowReader {
  private let state: ColumnState
  private var table = -1
  private var slot = 0
  private var columns: [[StoreValue]] = []

  init(_ state: ColumnState) {
    self.state = state
    super.init()
  }

  func move(to location: ColumnState.Location) {
    if location.table != table {
      table = location.table
      let rows = state.tables[table]
      (entity, scope, columns) = (rows.entity, rows.scope, rows.columns)
    }
    slot = location.slot
    key = .integer(state.tables[table].keys[slot])
  }

  override var version: Int64 { state.tables[table].versions[slot] }

  override func value(at index: Int) throws -> StoreValue { columns[index][slot] }

  override func string(at index: Int) throws -> String {
    guard case .string(let text) = columns[index][slot] else { return try super.string(at: index) }
    return text
  }

  override func integer(at index: Int) throws -> Int64 {
    guard case .integer(let number) = columns[index][slot] else {
      return try super.integer(at: index)
    }
    return number
  }

  override func double(at index: Int) throws -> Double {
    guard case .double(let number) = columns[index][slot] else {
      return try super.double(at: index)
    }
    return number
  }
}

/// Takes the values of rows straight into columns.
final class ColumnWriter: RowWriter {
  var table: Table

  init(_ table: Table) { self.table = table }

  func write(_ position: Int, of values: any RowProducer) throws {
    values.write(position, to: self)
    if let failure { throw failure.error }
  }

  override func write(_ value: StoreValue, at index: Int) {
    table.columns[index].append(value)
  }

  override func write(reference key: PersistentIdentifier.Key?, at index: Int) {
    table.columns[index].append(key.map { .identifier(identifier($0, index)) } ?? .null)
  }

  override func write(references keys: [PersistentIdentifier.Key]?, at index: Int) {
    table.columns[index].append(
      keys.map { .identifiers($0.map { identifier($0, index) }) } ?? .null
    )
  }

  private func identifier(_ key: PersistentIdentifier.Key, _ index: Int) -> PersistentIdentifier {
    let name = table.entity.properties[index].relationship?.destination ?? ""
    return PersistentIdentifier(scope: .init(storeIdentifier: nil, entityName: name), key: key)
  }
}
