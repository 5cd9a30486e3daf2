import StoreProtocol

/// A store that was written the plain way.
///
/// What the store leaves to the layer above is done here, over its records.
final class RecordBackend<Store: RecordStore>: StoreBackend {
  private let base: Store

  init(_ base: Store) {
    self.base = base
  }

  var identifier: String { base.identifier }
  var schema: Schema { base.schema }
  var capabilities: StoreCapabilities { base.capabilities }
  var derivesMembers: Bool { true }
  var store: any DataStore { base }

  func read(
    _ query: StoreQuery,
    _ body: (PersistentIdentifier, RowReader) throws -> Void
  ) throws {
    do {
      try base.read(query, body)
    } catch DataStoreError.preferInMemoryFilter, DataStoreError.preferInMemorySort {
      let reader = SnapshotReader(schema: schema.storeSchema)
      for record in try completed(query) {
        try reader.move(to: record)
        try body(record.persistentIdentifier, reader)
      }
    }
  }

  func count(_ query: StoreQuery) throws -> Int {
    do {
      return try base.count(query)
    } catch DataStoreError.preferInMemoryFilter, DataStoreError.preferInMemorySort {
      return try completed(query).count
    }
  }

  func identifiers(_ query: StoreQuery) throws -> [PersistentIdentifier] {
    do {
      return try base.identifiers(query)
    } catch DataStoreError.preferInMemoryFilter, DataStoreError.preferInMemorySort {
      return try completed(query).map(\.persistentIdentifier)
    }
  }

  func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier: [PersistentIdentifier]] {
    try base.members(of: property, in: entity, owners: owners)
  }

  func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    try base.apply(changes)
  }

  func erase() throws { try base.erase() }

  func initializeState(for editingState: EditingState) {
    base.initializeState(for: editingState)
  }

  func invalidateState(for editingState: EditingState) {
    base.invalidateState(for: editingState)
  }

  /// Answers a query over all of its entity's records.
  private func completed(_ query: StoreQuery) throws -> [DefaultSnapshot] {
    let all = StoreQuery(
      entity: query.entity,
      includesSubentities: query.includesSubentities
    )
    return try RecordAnswering(
      schema: schema.storeSchema,
      records: { try self.base.fetch(.rows($0, of: $1)) },
      members: { try self.base.members(of: $0, in: $1, owners: $2) }
    ).answer(query, over: try base.fetch(all))
  }
}
