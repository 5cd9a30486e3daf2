import Foundation
import StoreProtocol

/// The edits of an overlay in a store.
///
/// There is one row for each row that was inserted, changed or deleted, and one with the numbers.
struct EditStore<Store: RecordStore>: Sendable {
  let store: Store
  private let base: String

  /// Opens the store of edits over a base with an identifier.
  init(_ configuration: Store.Configuration, base: String) throws {
    self.base = base
    var configuration = configuration
    configuration.schema = Schema(storeSchema: EditSchema.schema)
    store = try Store(configuration, migrationPlan: nil)
  }

  /// Reads all edits.
  ///
  /// - Throws: ``DataStoreError/storeReplaced`` for edits of another base,
  ///   ``DataStoreError/schemaMismatch`` for edits of a model that no longer exists, and
  ///   ``DataStoreError/storeDamaged`` for unreadable edits.
  func read(_ schema: StoreSchema) throws -> OverlayState {
    var state = OverlayState(schema)
    if let numbers = try store.fetch(StoreQuery(entity: EditSchema.numbers.name)).first {
      guard numbers["base"] == .string(base) else {
        throw DataStoreError(
          .storeReplaced,
          "the edits belong to another base store; use the base store that they were made with"
        )
      }
      state.stored = numbers.persistentIdentifier
      state.lastKey = try integer("lastKey", of: numbers)
      state.lastSave = try integer("lastSave", of: numbers)
      state.hidesBase = numbers["hidesBase"] == .bool(true)
    }
    for edit in try store.fetch(StoreQuery(entity: EditSchema.edit.name)) {
      let (key, row) = try row(of: edit, schema)
      state.rows[key] = row
    }
    return state
  }

  private func integer(_ name: String, of record: DefaultSnapshot) throws -> Int64 {
    guard case .integer(let number) = record[name] else {
      throw damage(record, "it lacks \(name)")
    }
    return number
  }

  private func row(
    of edit: DefaultSnapshot,
    _ schema: StoreSchema
  ) throws -> (PersistentIdentifier.Key, OverlayState.Row) {
    guard case .data(let data) = edit["row"] else { throw damage(edit, "it has no row") }
    let coded: CodedEdit
    do {
      coded = try JSONDecoder().decode(CodedEdit.self, from: data)
    } catch {
      throw damage(edit, "its row cannot be read", error)
    }
    let identifier = coded.identifier
    guard let entity = schema.entity(named: identifier.entityName) else {
      throw DataStoreError(
        .schemaMismatch,
        "the edit store has edits of a model that the schema lacks",
        entity: identifier.entityName
      )
    }
    var record = coded.record?.aligned(with: entity)
    record?.version = coded.version
    let row = OverlayState.Row(
      record: record,
      entity: entity.name,
      stored: edit.persistentIdentifier
    )
    return (identifier.key, row)
  }

  private func damage(
    _ record: DefaultSnapshot,
    _ reason: String,
    _ cause: (any Error)? = nil
  ) -> DataStoreError {
    DataStoreError(
      .storeDamaged,
      "the edit \(record.persistentIdentifier) cannot be used: \(reason); restore a backup",
      cause: cause
    )
  }

  /// Writes changed rows and the numbers of a state in one save, and notes their identifiers.
  ///
  /// - Parameters:
  ///   - state: The edits.
  ///   - touched: The rows to write.
  ///   - gone: The stored edits that are no longer needed.
  ///   - identifier: The identifier of the save.
  /// - Throws: Errors of the save.
  func save(
    _ state: inout OverlayState,
    _ touched: Set<PersistentIdentifier.Key>,
    removing gone: [PersistentIdentifier] = [],
    as identifier: UUID
  ) throws {
    var changes = StoreChanges(deleted: gone, saveIdentifier: identifier)
    var keys: [PersistentIdentifier: PersistentIdentifier.Key] = [:]
    for key in touched {
      guard let row = state.rows[key] else { continue }
      let record = try EditSchema.record(of: row, at: key, base: base)
      if let stored = row.stored {
        changes.updated.append(record.update(of: stored))
      } else {
        keys[record.persistentIdentifier] = key
        changes.inserted.append(record)
      }
    }
    let numbers = EditSchema.record(of: state, base: base)
    if let stored = state.stored {
      changes.updated.append(numbers.update(of: stored))
    } else {
      changes.inserted.append(numbers)
    }
    let result = try store.apply(changes)
    for (temporary, key) in keys { state.rows[key]?.stored = result.remapped[temporary] }
    if state.stored == nil { state.stored = result.remapped[numbers.persistentIdentifier] }
  }
}
