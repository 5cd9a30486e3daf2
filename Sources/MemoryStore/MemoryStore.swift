import Foundation
import QueryEvaluation
import RowChanges
import StoreHelpers
import StoreProtocol

/// The contract in its simplest form: the store with which every other store is compared.
///
/// Rows are records in a dictionary, and every query examines each of them. A save records the
/// previous state before each of its steps, so it is atomic.
public final class MemoryStore: RecordStore, HistoryKeeping {
  /// The type of the store's configuration.
  public typealias Configuration = MemoryStoreConfiguration

  /// The models in the store.
  public let schema: Schema
  /// The configuration with which the store was created.
  public let configuration: MemoryStoreConfiguration
  public let capabilities: StoreCapabilities
  let catalog: Catalog
  private let held = HeldStates<MemoryStorage.State>()
  var storage: MemoryStorage { configuration.storage }

  /// The state that reads on this thread are of.
  var state: MemoryStorage.State { held.current ?? storage.state }

  /// Opens the store of a configuration.
  ///
  /// - Throws: ``DataStoreError/invalidConfiguration`` without any schema, or
  ///   ``DataStoreError/schemaMismatch`` if the storage was previously opened with another schema.
  public init(
    _ configuration: MemoryStoreConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    self.configuration = configuration
    schema = try configuration.storage.open(configuration.schema)
    catalog = Catalog(schema.storeSchema, storeIdentifier: configuration.storage.identifier)
    capabilities = StoreCapabilities(
      filtering: .native,
      sorting: .native,
      uniqueness: .native,
      history: configuration.history.content.support,
      concurrentProcesses: .unsupported("the rows are in this process's memory"),
      versions: .native,
      durability: .none
    )
  }

  public var identifier: String { storage.identifier }

  public func read(_ query: StoreQuery, _ body: (RowReader) throws -> Void) throws {
    let rows = state.rows
    let found = try evaluator(of: rows).evaluate(query, over: candidates(query, in: rows))
    try read(records: found.map(\.record), body)
  }

  public func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier],
    wantsRows: Bool,
    _ body: (_ owner: Int64, RowReader) throws -> Void
  ) throws -> StoreMembers {
    guard let index = try catalog.schema.requiredEntity(entity).indexByName[property] else {
      return .listed([:])
    }
    let rows = state.rows
    let lookup = memberLookup(in: rows)
    var members: [PersistentIdentifier: [PersistentIdentifier]] = [:]
    for owner in owners {
      guard let row = try rows[owner].map(catalog.queryRow),
        catalog.schema.isEntity(row.entity.name, kindOf: entity)
      else { continue }
      members[owner] = try lookup.members(row, index)
    }
    return .listed(members)
  }

  public func readingOneState(_ body: () throws -> Void) throws {
    guard held.current == nil else { return try body() }
    try held.hold(storage.state, during: body)
  }

  /// Returns an evaluator that reads related rows from one state.
  func evaluator(of rows: MemoryRows) -> QueryEvaluator<SnapshotRow> {
    QueryEvaluator<SnapshotRow>(
      schema: catalog.schema,
      row: { [catalog] in try rows[$0].map(catalog.queryRow) },
      members: { try self.memberLookup(in: rows).members($0, $1) }
    )
  }

  /// Returns the rows that can match a query.
  func candidates(_ query: StoreQuery, in rows: MemoryRows) throws -> [SnapshotRow] {
    _ = try catalog.schema.requiredEntity(query.entity)
    // Rows that are requested by identifier alone are looked up, because objects are completed one
    // by one.
    let named = query.identifiers.map { identifiers in
      Set(identifiers.compactMap(\.integerKey)).compactMap { rows.byKey[$0] }
    }
    return try (named ?? Array(rows.byKey.values)).map(catalog.queryRow)
  }

  private func memberLookup(in rows: MemoryRows) -> MemberLookup {
    MemberLookup(referringRows: { [catalog] entity, owner in
      let family = Set(catalog.schema.family(of: entity).map(\.name))
      let keys = owner.integerKey.map(rows.keys(referringTo:)) ?? []
      return keys.compactMap { rows.byKey[$0] }
        .filter { family.contains($0.persistentIdentifier.entityName) }
    })
  }

  public func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    // The store may lack no other feature that a batch can require.
    if !changes.bulkChanges.isEmpty || !changes.readers.isEmpty { try check(changes) }
    let mayRefer = (changes.insertions + changes.updates).contains {
      catalog.referringEntities.contains($0.entityName)
    }
    // Rows that may refer to others are records, which are made once for all attempts.
    let changes = mayRefer ? changes.recorded : changes
    if mayRefer { try changes.checkReferences() }
    let history = configuration.history.content
    return try storage.change { rows, log in
      if !changes.expectedVersions.isEmpty { try rows.check(changes.expectedVersions) }
      // The row that a new record becomes can depend on the rows that its related records become.
      // The batch is therefore repeated until the result equals the assumption.
      var assigned: [PersistentIdentifier: PersistentIdentifier] = [:]
      let count = changes.insertions.reduce(0) { $0 + $1.count }
      for _ in 0...count + 1 {
        var (result, recorder) = try catalog.attempt(changes, assigned, &rows, history)
        if !mayRefer || result.remapped == assigned {
          if !result.merged.isEmpty {
            do { try changes.checkInsertions(result, in: catalog.schema) } catch {
              rows.rollBack()
              throw error
            }
          }
          let groups = recorder?.groups { key, _ in rows.byKey[key] }
          record(changes, &result, groups, &log)
          rows.commit(save: result.version)
          return result
        }
        rows.rollBack()
        assigned = result.remapped
      }
      throw DataStoreError.endlessMerges
    }
  }

  public func nextKey() throws -> Int64? { state.rows.lastKey + 1 }

  public var latestSave: Int64? { storage.latestSave }

  /// Deletes all rows and the history.
  public func erase() throws {
    storage.change { rows, history in
      rows.erase()
      history.cutAll(at: rows.lastSave, save: StoreEnvironment.current.makeSaveIdentifier())
    }
  }
}
