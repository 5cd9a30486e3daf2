import Foundation
import JSONFileStore
import QueryEvaluation
import StoreProtocol
import StoreTestSupport

/// A store with many indexes, and what the evaluator says of its rows.
final class IndexedStore {
  let folder: TemporaryFolder
  var store: JSONFileStore
  private(set) var identifiers: [PersistentIdentifier] = []
  /// Identifiers of rows that are gone.
  private(set) var gone: [PersistentIdentifier] = []

  init() throws {
    folder = try TemporaryFolder()
    store = try Self.open(folder)
  }

  private static func open(_ folder: TemporaryFolder) throws -> JSONFileStore {
    let configuration = JSONFileStoreConfiguration(
      schema: Schema(storeSchema: IndexedSchema.schema),
      url: folder.file("store.json"),
      durability: .none
    )
    return try JSONFileStore(configuration, migrationPlan: nil)
  }

  func reopen() throws {
    try store.close()
    store = try Self.open(folder)
  }

  /// Saves some new rows, some changes and some deletions.
  func change(_ random: inout SeededGenerator, inserting: Int, updating: Int, deleting: Int) throws
  {
    var changes = StoreChanges()
    for _ in 0..<inserting { changes.inserted.append(newRow(&random)) }
    var rest = identifiers.shuffled(using: &random)
    changes.deleted = Array(rest.suffix(deleting))
    rest = rest.dropLast(deleting)
    changes.updated = rest.prefix(updating).map { update($0, &random) }
    let result = try store.apply(changes)
    gone += changes.deleted
    let deleted = Set(changes.deleted)
    identifiers =
      identifiers.filter { !deleted.contains($0) }
      + changes.inserted.compactMap { result.remapped[$0.persistentIdentifier] }
  }

  private func newRow(_ random: inout SeededGenerator) -> DefaultSnapshot {
    let name = Int.random(in: 0..<3, using: &random) == 0 ? "Special" : "Thing"
    let values = IndexedSchema.values(of: name, owners: identifiers, &random)
    let names = IndexedSchema.schema.entity(named: name)?.propertyNames
    return DefaultSnapshot(
      persistentIdentifier: PersistentIdentifier(
        scope: .init(storeIdentifier: nil, entityName: name),
        key: .temporary(PersistentIdentifier.nextTemporaryNumber())
      ),
      names: names ?? PropertyNames([]),
      values: values
    )
  }

  private func update(
    _ identifier: PersistentIdentifier,
    _ random: inout SeededGenerator
  ) -> StoreUpdate {
    let values = IndexedSchema.values(of: identifier.entityName, owners: identifiers, &random)
    let changed = values.indices.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
    return StoreUpdate(
      identifier: identifier,
      changes: changed.map { StoreUpdate.Change($0, values[$0]) }
    )
  }

  /// The rows as records, in the order of their keys.
  func rows() throws -> [SnapshotRow] {
    try store.fetch(StoreQuery(entity: "Thing")).compactMap { record in
      IndexedSchema.schema.entity(named: record.persistentIdentifier.entityName).map {
        SnapshotRow(record, $0)
      }
    }
  }

  /// The evaluator, which defines the expected results.
  func evaluator(_ rows: [SnapshotRow]) -> QueryEvaluator<SnapshotRow> {
    let byKey = Dictionary(uniqueKeysWithValues: rows.map { ($0.identifier.key, $0) })
    return QueryEvaluator(
      schema: IndexedSchema.schema,
      row: { byKey[$0.key] },
      members: { _, _ in [] }
    )
  }
}
