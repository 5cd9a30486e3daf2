import Foundation
import PostgreSQLClient
import SQLTranslation
import StoreHelpers
import StoreProtocol

/// The rows to which the new rows of a save refer.
///
/// It reads their references as a writer, before any key is known.
final class ReferencedRows: RowWriter {
  private let map: StoreMap
  private let protection: ReferenceProtection?
  /// The keys of the new rows, by the numbers of their temporary identifiers.
  private var newKeys: TemporaryKeys
  /// The keys of stored rows, by the topmost entities of their tables.
  private var stored: [String: Set<Int64>] = [:]
  /// Those of them that do not exist.
  private var missing: [String: Set<Int64>] = [:]
  /// The topmost entity of the rows that each property of the current row refers to.
  private var roots: [String?] = []

  /// Reads the references of runs.
  ///
  /// - Throws: ``DataStoreError/invalidValue`` for a reference to a new row that is not in the batch.
  init(of runs: [RowRun], in batch: StoreChanges, _ map: StoreMap) throws {
    self.map = map
    protection = ReferenceProtection(batch, map.schema)
    newKeys = TemporaryKeys(of: runs)
    super.init()
    for run in runs {
      let table = try map.table(of: run.entityName)
      roots = (table.positions[run.entityName] ?? []).map {
        table.columns[$0].kind.destination?.root
      }
      guard roots.contains(where: { $0 != nil }) else { continue }
      let entity = try map.catalog.schema.requiredEntity(run.entityName)
      let values = run.values(for: entity)
      for position in 0..<run.count {
        values.write(position, to: self)
        guard let failure else { continue }
        let property = entity.properties[failure.index].name
        throw DataStoreError.unsavedTarget(entity: entity.name, property: property)
      }
    }
  }

  // MARK: Reading references

  override func write(_ value: StoreValue, at property: Int) {
    for identifier in value.identifiers { note(identifier.key, at: property) }
  }

  // Attributes refer to nothing; without these, each would be made a `StoreValue`.
  override func write(_ value: String, at property: Int) {}
  override func write(_ value: Int64, at property: Int) {}
  override func write(_ value: Double, at property: Int) {}
  override func write(_ value: Date, at property: Int) {}

  override func write(reference key: PersistentIdentifier.Key?, at property: Int) {
    if let key { note(key, at: property) }
  }

  override func write(references keys: [PersistentIdentifier.Key]?, at property: Int) {
    for key in keys ?? [] { note(key, at: property) }
  }

  private func note(_ key: PersistentIdentifier.Key, at property: Int) {
    guard roots.indices.contains(property), let root = roots[property] else { return }
    switch key {
    case .integer(let key): stored[root, default: []].insert(key)
    case .temporary(let number) where !newKeys.contains(number):
      failure = failure ?? (property, DataStoreError.invalidValue)
    case .temporary, .text: break
    }
  }

  // MARK: Stored rows

  /// Requests for the stored rows.
  private var requests: [(root: String, rows: RowRequest, count: Int)] {
    stored.sorted { $0.key < $1.key }.compactMap { root, keys in
      map.tables[root].map { (root, RowRequest($0, isIn: keys), keys.count) }
    }
  }

  /// The statements that read which of the stored rows exist.
  var statements: [Statement] { requests.map { $0.rows.statement(selecting: "_key") } }

  /// The checks that all stored rows exist.
  var checks: [RowCheck] { requests.map { RowCheck($0.rows, count: $0.count) } }

  /// Reads the results of ``statements``; the save deletes some rows.
  func note(_ results: some Sequence<QueryResult>, deleted: Set<Int64>) throws {
    for (request, result) in zip(requests, results) {
      let found = try (0..<result.rowCount).compactMap { try result.integer($0, 0) }
      let sought = stored[request.root] ?? []
      let lacking = sought.subtracting(found).union(deleted.intersection(sought))
      if !lacking.isEmpty { missing[request.root] = lacking }
    }
  }

  // MARK: Keys

  /// Returns whether the batch has a new row with a temporary identifier.
  func contains(_ identifier: PersistentIdentifier) -> Bool {
    identifier.temporaryNumber.map(newKeys.contains) == true
  }

  /// Sets the key of a new row.
  func set(_ key: Int64, of number: Int64) { newKeys.set(key, of: number) }

  /// Returns the key of the row that a key names, or `nil` if there is no such row.
  func row(_ key: PersistentIdentifier.Key, in root: String) -> Int64? {
    switch key {
    case .integer(let key): missing[root]?.contains(key) == true ? nil : key
    case .temporary(let number): newKeys[number]
    case .text: nil
    }
  }

  /// Returns the error of a reference to a stored row that does not exist, or `nil` if it becomes
  /// null.
  func conflict(
    _ key: PersistentIdentifier.Key,
    _ column: EntityTable.Column,
    of entity: String
  ) -> DataStoreError? {
    guard let protection, let destination = column.kind.destination,
      protection.protects(column.property, of: entity)
    else { return nil }
    return .missingTargets(
      [PersistentIdentifier(scope: map.catalog.scope(of: destination), key: key)],
      of: StoreReference(column.property, of: entity)
    )
  }
}
