import Foundation

/// A fetch request with its context.
public struct DataStoreFetchRequest<T>: Sendable where T: PersistentModel {
  /// The context of the request.
  public let editingState: EditingState
  /// The descriptor of the fetch.
  public let descriptor: FetchDescriptor<T>

  /// Creates a request.
  package init(descriptor: FetchDescriptor<T>, editingState: EditingState = EditingState()) {
    self.descriptor = descriptor
    self.editingState = editingState
  }
}

/// The result of a fetch.
public struct DataStoreFetchResult<ModelType, SnapshotType>: Sendable
where ModelType: PersistentModel, SnapshotType: DataStoreSnapshot {
  /// The descriptor of the fetch.
  public let descriptor: FetchDescriptor<ModelType>
  /// The snapshots of the fetched objects, in order.
  public let fetchedSnapshots: [SnapshotType]
  /// The snapshots of other objects that were also loaded.
  public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

  /// Creates a result.
  public init(
    descriptor: FetchDescriptor<ModelType>,
    fetchedSnapshots: [SnapshotType],
    relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
  ) {
    self.descriptor = descriptor
    self.fetchedSnapshots = fetchedSnapshots
    self.relatedSnapshots = relatedSnapshots
  }
}

/// The changes of one save.
public struct DataStoreSaveChangesRequest<SnapshotType>: Sendable
where SnapshotType: DataStoreSnapshot {
  /// New objects, with temporary identifiers.
  public let inserted: [SnapshotType]
  /// Changed objects, with all values.
  public let updated: [SnapshotType]
  /// Objects to delete.
  public let deleted: [SnapshotType]
  /// The context that saves.
  public let editingState: EditingState

  /// Creates a request.
  package init(
    inserted: [SnapshotType] = [],
    updated: [SnapshotType] = [],
    deleted: [SnapshotType] = [],
    editingState: EditingState = EditingState()
  ) {
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
    self.editingState = editingState
  }
}

/// The result of a save.
public final class DataStoreSaveChangesResult<T>: Sendable where T: DataStoreSnapshot {
  /// The permanent identifier of each temporary identifier.
  public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
  /// The identifier of the store.
  public let storeIdentifier: String
  /// Rows that the store changed itself and that the context should reload.
  public let snapshotsToReregister: [PersistentIdentifier: T]
  /// The position of the save in the store's history, or `nil` if it has none there.
  public let historyToken: (any HistoryToken)?

  /// Creates a result.
  public init(
    for storeIdentifier: String,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    snapshotsToReregister: [PersistentIdentifier: T] = [:],
    historyToken: (any HistoryToken)? = nil
  ) {
    self.storeIdentifier = storeIdentifier
    self.remappedIdentifiers = remappedIdentifiers
    self.snapshotsToReregister = snapshotsToReregister
    self.historyToken = historyToken
  }
}

/// A deletion by predicate.
public struct DataStoreBatchDeleteRequest<T>: Sendable where T: PersistentModel {
  /// The context that deletes.
  public let editingState: EditingState
  /// The predicate of the objects to delete.
  ///
  /// `nil` matches all objects.
  public let predicate: Predicate<T>?
  /// Whether objects of subclasses are deleted too.
  public let includeSubclasses: Bool
}
