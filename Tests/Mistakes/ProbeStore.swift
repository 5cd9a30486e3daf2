import Foundation
import StoreConformance
import StoreProtocol

/// What a probe found wrong.
struct ProbeFailure: Error {
  let text: String
}

/// A store with a schema of its own, on which a probe shows that one sentence of the contract holds.
///
/// Probes know neither the rules nor the machine of the conformance suite.
final class ProbeStore {
  private(set) var store: any RecordStore
  private let open: () throws -> any RecordStore
  private let close: (any RecordStore) throws -> Void
  private let remove: () -> Void

  init<Fixture: StoreFixture>(_ fixture: Fixture) throws {
    let location = try fixture.makeLocation()
    open = { try fixture.open(location, schema: ProbeSchema.schema) }
    close = { if let own = $0 as? Fixture.Store { try fixture.close(own) } }
    remove = { try? fixture.destroy(location) }
    store = try open()
  }

  deinit {
    try? close(store)
    remove()
  }

  func reopen() throws {
    try close(store)
    store = try open()
  }

  /// The store as one with a history.
  var history: any HistoryKeeping {
    get throws {
      if let history = store as? any HistoryKeeping { return history }
      throw ProbeFailure(text: "no history")
    }
  }

  // MARK: Changing

  @discardableResult
  func save(
    _ inserted: [DefaultSnapshot] = [],
    updating updated: [StoreUpdate] = [],
    deleting deleted: [PersistentIdentifier] = [],
    _ change: (inout StoreChanges) -> Void = { _ in }
  ) throws -> StoreChangesResult {
    var changes = StoreChanges(inserted: inserted, updated: updated, deleted: deleted)
    change(&changes)
    return try store.apply(changes)
  }

  /// Saves one new row.
  func add(
    _ entity: String,
    _ values: [String: StoreValue] = [:]
  ) throws -> PersistentIdentifier {
    try add([new(entity, values)])[0]
  }

  /// Saves new rows at once.
  func add(_ records: [DefaultSnapshot]) throws -> [PersistentIdentifier] {
    let result = try save(records)
    return try records.map { try identifier(of: $0, result) }
  }

  /// Saves a new row whose values a producer writes by their types.
  func produce(_ record: DefaultSnapshot) throws -> PersistentIdentifier {
    let temporary = record.persistentIdentifier
    let run = RowRun(
      RowIdentifiers(
        [temporary.temporaryNumber].compactMap(\.self),
        areTemporary: true,
        in: temporary.scope
      ),
      of: ProbeSchema.entity(temporary.entityName),
      in: store.identifier,
      from: ProducedRow(values: record.values)
    )
    var changes = StoreChanges()
    changes.insertions = [run]
    let result = try store.apply(changes)
    guard let key = result.firstKeys.first else { return try identifier(of: record, result) }
    return PersistentIdentifier(.integer(key), of: temporary.entityName, in: store.identifier)
  }

  func identifier(
    of record: DefaultSnapshot,
    _ result: StoreChangesResult
  ) throws -> PersistentIdentifier {
    guard let row = result.remapped[record.persistentIdentifier] else {
      throw ProbeFailure(text: "a new record has no identifier")
    }
    return row
  }

  // MARK: Reading

  func record(_ row: PersistentIdentifier) throws -> DefaultSnapshot? {
    try store.fetch(.rows([row], of: row.entityName)).first
  }

  func value(_ name: String, of row: PersistentIdentifier) throws -> StoreValue? {
    try record(row)?[name]
  }

  func version(of row: PersistentIdentifier) throws -> Int64 { try record(row)?.version ?? -1 }

  func list(_ name: String, of owner: PersistentIdentifier) throws -> [PersistentIdentifier] {
    try store.members(of: name, in: owner.entityName, owners: [owner])[owner] ?? []
  }

  func rows(_ query: StoreQuery) throws -> [PersistentIdentifier] {
    try store.fetch(query).map(\.persistentIdentifier)
  }

  /// Returns the last transaction.
  func lastTransaction() throws -> StoreTransaction {
    guard let last = try history.transactions(StoreHistoryQuery()).last else {
      throw ProbeFailure(text: "the history is empty")
    }
    return last
  }

  /// Returns the last save's change of a row.
  func lastChange(of row: PersistentIdentifier) throws -> StoreChange? {
    try lastTransaction().changes.first { $0.identifier == row }
  }
}

/// The values of one row, strings and dates by their types.
private struct ProducedRow: RowProducer {
  let values: [StoreValue]

  func write(_ position: Int, to writer: RowWriter) {
    for (index, value) in values.enumerated() {
      switch value {
      case .string(let text): writer.write(text, at: index)
      case .date(let date): writer.write(date, at: index)
      default: writer.write(value, at: index)
      }
    }
  }
}

func new(_ entity: String, _ values: [String: StoreValue] = [:]) -> DefaultSnapshot {
  let properties = ProbeSchema.entity(entity)
  return DefaultSnapshot(
    persistentIdentifier: .temporary(of: entity),
    entity: properties,
    values: properties.properties.map { property in
      values[property.name] ?? (property.name == "name" ? .string("") : .null)
    }
  )
}

func update(_ row: PersistentIdentifier, _ values: [String: StoreValue]) -> StoreUpdate {
  let entity = ProbeSchema.entity(row.entityName)
  let changes = values.compactMap { name, value in
    entity.indexByName[name].map { StoreUpdate.Change($0, value) }
  }
  return StoreUpdate(identifier: row, changes: changes.sorted { $0.index < $1.index })
}

func expect<Value: Equatable>(
  _ subject: String,
  _ found: @autoclosure () throws -> Value,
  is expected: Value
) throws {
  let found = try found()
  if found != expected { throw ProbeFailure(text: "\(subject): \(found) instead of \(expected)") }
}

func expectError(
  _ subject: String,
  _ codes: DataStoreError...,
  from body: () throws -> Void
) throws {
  do {
    try body()
  } catch let error as DataStoreError where codes.contains(error) {
    return
  }
  throw ProbeFailure(text: "\(subject): no error")
}

extension QueryExpression {
  static func own(_ name: String) -> QueryExpression { .property(.element(0), name) }

  static func own(
    _ name: String,
    _ comparison: Comparison,
    _ value: StoreValue
  ) -> QueryExpression { .compare(comparison, own(name), .constant(value)) }
}

extension DefaultSnapshot {
  var reference: StoreValue { .identifier(persistentIdentifier) }
}

extension PersistentIdentifier {
  /// The same row under the name of another entity.
  func named(_ entity: String) -> PersistentIdentifier {
    PersistentIdentifier(
      scope: Scope(storeIdentifier: storeIdentifier, entityName: entity),
      key: key
    )
  }
}

/// Shows that one sentence of the contract holds, or throws.
typealias Probe = @Sendable (ProbeStore) throws -> Void
