import Foundation
import RowChanges
import StoreProtocol

/// The contract as the simplest code: the store that every other store is compared with.
///
/// Rows are records in a dictionary, and every query looks at each of them. A save notes what was
/// there before each of its steps, so that it happens whole or not at all.
public final class MemoryStore: RecordStore, HistoryKeeping {
  /// The configuration that describes such a store.
  public typealias Configuration = MemoryStoreConfiguration
  /// The records in which the store deals.
  public typealias Snapshot = DefaultSnapshot

  /// The models that the store holds.
  public let schema: Schema
  /// The configuration that the store was made from.
  public let configuration: MemoryStoreConfiguration
  let catalog: Catalog
  private let held = HeldStates<MemoryPlace.State>()
  var place: MemoryPlace { configuration.place }

  /// The state that reads on this thread are of.
  var state: MemoryPlace.State { held.current ?? place.state }

  /// Opens the place of a configuration.
  ///
  /// - Throws: ``DataStoreError/invalidConfiguration`` without any schema, or
  ///   ``DataStoreError/schemaMismatch`` when the place was opened with another one before.
  public init(
    _ configuration: MemoryStoreConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    self.configuration = configuration
    schema = try configuration.place.open(configuration.schema)
    catalog = Catalog(schema.storeSchema, storeIdentifier: configuration.place.identifier)
  }

  public var identifier: String { place.identifier }

  public var capabilities: StoreCapabilities {
    StoreCapabilities(
      filtering: .native,
      sorting: .native,
      uniqueness: .native,
      history: configuration.history.content.support,
      concurrentProcesses: .unsupported("the rows are in this process's memory"),
      versions: .native,
      durability: .none
    )
  }

  public func fetch(_ query: StoreQuery) throws -> [DefaultSnapshot] {
    let rows = state.rows
    return try evaluator(of: rows).answer(query, over: candidates(query, in: rows)).map(\.record)
  }

  public func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier: [PersistentIdentifier]] {
    guard let index = try catalog.entity(named: entity).indexByName[property] else { return [:] }
    let rows = state.rows
    let members = members(in: rows)
    return try owners.reduce(into: [:]) { result, owner in
      guard let row = try rows[owner].map(catalog.queryRow) else { return }
      guard catalog.schema.isEntity(row.entity.name, kindOf: entity) else { return }
      result[owner] = try members(row, index)
    }
  }

  public func readingOneState(_ body: () throws -> Void) throws {
    guard held.current == nil else { return try body() }
    try held.hold(place.state, during: body)
  }

  /// What judges rows by the rows of one state.
  func evaluator(of rows: MemoryRows) -> QueryEvaluator<SnapshotRow> {
    QueryEvaluator<SnapshotRow>(
      schema: catalog.schema,
      row: { [catalog] in try rows[$0].map(catalog.queryRow) },
      members: members(in: rows)
    )
  }

  /// The rows among which the answer of a query is.
  func candidates(_ query: StoreQuery, in rows: MemoryRows) throws -> [SnapshotRow] {
    _ = try catalog.entity(named: query.entity)
    // Rows asked for by identity alone are looked up, since objects are completed one by one.
    let named = query.identifiers.map { Set($0.compactMap { rows[$0] }) }
    return try (named.map(Array.init) ?? Array(rows.byKey.values)).map(catalog.queryRow)
  }

  /// A function that gives the members of a to-many property of a row; it remembers, for each
  /// relationship, who names whom.
  private func members(
    in rows: MemoryRows
  ) -> (SnapshotRow, Int) throws -> [PersistentIdentifier] {
    var belonging: [StoreRelationship: [Int64: [PersistentIdentifier]]] = [:]
    return { [catalog] row, index in
      let property = row.entity.properties[index]
      var listed: [PersistentIdentifier] = []
      if case .identifiers(let list) = row.value(at: index) { listed = list }
      guard property.isDerivedToMany, let relationship = property.relationship else {
        return listed
      }
      if belonging[relationship] == nil {
        belonging[relationship] = rows.belonging(by: relationship, in: catalog.schema)
      }
      let members = row.identifier.integerKey.flatMap { belonging[relationship]?[$0] }
      return MemberOrder.ordered(members ?? [], by: listed)
    }
  }

  public func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    try capabilities.check(changes)
    try changes.checkReferences()
    return try place.change { rows, history in
      try rows.check(changes.expectedVersions)
      // Which row a new record becomes can depend on which rows the records become that it refers
      // to. So the batch is tried until what came out is what was assumed.
      var known: [PersistentIdentifier: PersistentIdentifier] = [:]
      for _ in 0...changes.inserted.count + 1 {
        var (result, named) = try catalog.attempt(changes, known, &rows)
        if result.remapped == known {
          do { try changes.checkInsertions(result) } catch {
            rows.rollBack()
            throw error
          }
          record(changes, &result, named, rows, &history)
          rows.commit(save: result.version)
          return result
        }
        rows.rollBack()
        known = result.remapped
      }
      throw DataStoreError(.uniqueConflict, "new objects make each other equal to stored ones")
    }
  }

  public func nextKey() throws -> Int64? { state.rows.lastKey + 1 }

  /// Removes all rows, and the history with them.
  public func erase() throws {
    place.change { rows, history in
      rows.erase()
      history.cutAll(at: rows.lastSave, save: StoreEnvironment.current.makeSaveIdentifier())
    }
  }
}
