import Foundation
import StoreProtocol

/// A store that was written for SwiftData's requirements.
///
/// Such a store need not be safe to share, so that one lock keeps its callers apart. It is asked
/// for all objects of a type; filters, sorts and windows are done here over its snapshots.
final class SnapshotBackend<Store: DataStore>: StoreBackend, @unchecked Sendable {
  // Unchecked: the store is touched under the lock only.
  private let base: Store
  private let lock = NSRecursiveLock()
  private let types: [String: any PersistentModel.Type]
  private let conversion: SnapshotConversion<Store.Snapshot>

  let identifier: String
  let schema: Schema

  init(_ base: Store, schema: Schema) {
    self.base = base
    self.schema = schema
    identifier = base.identifier
    types = schema.modelTypes
    conversion = SnapshotConversion(schema: schema)
  }

  var capabilities: StoreCapabilities { StoreCapabilities() }
  var derivesMembers: Bool { false }
  var store: any DataStore { base }

  func read(
    _ query: StoreQuery,
    _ body: (PersistentIdentifier, RowReader) throws -> Void
  ) throws {
    let reader = SnapshotReader(schema: schema.storeSchema)
    for record in try fetch(query) {
      try reader.move(to: record)
      try body(record.persistentIdentifier, reader)
    }
  }

  func count(_ query: StoreQuery) throws -> Int { try fetch(query).count }

  func identifiers(_ query: StoreQuery) throws -> [PersistentIdentifier] {
    try fetch(query).map(\.persistentIdentifier)
  }

  func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier: [PersistentIdentifier]] {
    try fetch(.rows(owners, of: entity)).reduce(into: [:]) { result, record in
      if case .identifiers(let list) = record[property] {
        result[record.persistentIdentifier] = list
      } else {
        result[record.persistentIdentifier] = []
      }
    }
  }

  func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    try lock.withLock {
      let request = DataStoreSaveChangesRequest(
        inserted: try changes.inserted.map(conversion.snapshot(of:)),
        updated: try updatedSnapshots(changes.updated),
        deleted: try deletedSnapshots(changes.deleted),
        editingState: changes.editingState
      )
      return StoreChangesResult(remapped: try base.save(request).remappedIdentifiers)
    }
  }

  func erase() throws { try lock.withLock { try base.erase() } }

  func initializeState(for editingState: EditingState) {
    lock.withLock { base.initializeState(for: editingState) }
  }

  func invalidateState(for editingState: EditingState) {
    lock.withLock { base.invalidateState(for: editingState) }
  }

  private func fetch(_ query: StoreQuery) throws -> [DefaultSnapshot] {
    try lock.withLock {
      let answering = RecordAnswering(
        schema: schema.storeSchema,
        records: { try self.fetch(.rows($0, of: $1)) },
        members: { try self.members(of: $0, in: $1, owners: $2) }
      )
      let candidates = try records(of: query.entity).filter { record in
        query.includesSubentities || record.persistentIdentifier.entityName == query.entity
      }
      return try answering.answer(query, over: candidates)
    }
  }

  /// All records of an entity and those that inherit from it.
  private func records(of entity: String) throws -> [DefaultSnapshot] {
    guard let type = types[entity] else {
      throw DataStoreError(.schemaMismatch, "the schema lacks this entity", entity: entity)
    }
    return try records(of: type).filter {
      schema.storeSchema.isEntity($0.persistentIdentifier.entityName, kindOf: entity)
    }
  }

  private func records<T: PersistentModel>(of type: T.Type) throws -> [DefaultSnapshot] {
    let request = DataStoreFetchRequest(descriptor: FetchDescriptor<T>())
    return try base.fetch(request).fetchedSnapshots
      .map(conversion.record(of:))
  }

  private func updatedSnapshots(_ updates: [StoreUpdate]) throws -> [Store.Snapshot] {
    try updates.map { update in
      let stored = try fetch(.rows([update.identifier], of: update.identifier.entityName))
      guard var record = stored.first else {
        throw DataStoreError(
          .conflict,
          "the object \(update.identifier) is no longer in the store",
          entity: update.identifier.entityName
        )
      }
      let entity = schema.storeSchema.entity(named: update.identifier.entityName)
      for change in update.changes {
        if let name = entity?.properties[change.index].name { record[name] = change.value }
      }
      return try conversion.snapshot(of: record)
    }
  }

  private func deletedSnapshots(_ deleted: [PersistentIdentifier]) throws -> [Store.Snapshot] {
    try deleted.flatMap { identifier in
      try fetch(.rows([identifier], of: identifier.entityName))
        .map(conversion.snapshot(of:))
    }
  }
}
