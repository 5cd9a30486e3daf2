import Foundation

/// A store of models, used by a `ModelContainer`.
///
/// These are SwiftData's requirements. A new store should instead adopt ``RecordStore``, which
/// provides all of them and needs no model type.
public protocol DataStore: AnyObject {
  /// The configuration that describes such a store.
  associatedtype Configuration: DataStoreConfiguration where Configuration.Store == Self
  /// The type of model snapshots that the store uses.
  associatedtype Snapshot: DataStoreSnapshot

  /// The store's name in identifiers, stable whenever the same data is opened.
  var identifier: String { get }
  /// The schema of the stored models.
  var schema: Schema { get }
  /// The configuration with which the store was created.
  var configuration: Configuration { get }

  /// Opens the store of a configuration, and creates it if there is none.
  ///
  /// - Parameters:
  ///   - configuration: The location and the options, with a schema.
  ///   - migrationPlan: The plan for migrating older data to the schema.
  /// - Throws: ``DataStoreError`` with a code for the obstacle.
  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// Deletes all data irrevocably; identifiers are not reused.
  func erase() throws

  /// Returns the result of a fetch.
  ///
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` or ``DataStoreError/preferInMemorySort`` to
  ///   leave that part, and the window after it, to the layer above.
  func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Snapshot>
  where T: PersistentModel

  /// Returns the number of objects that a fetch would return.
  func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel

  /// Returns the identifiers of the objects that a fetch would return, in its order.
  func fetchIdentifiers<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel

  /// Applies a batch of changes atomically.
  ///
  /// When this method returns, every later read on this store includes the batch, and the batch
  /// survives a crash of the process. When it throws, no read ever includes any part of it.
  ///
  /// - Throws: ``DataStoreError/notSaved`` or a code with the reason, or
  ///   ``DataStoreError/outcomeUnknown`` if the store cannot determine the outcome.
  func save(
    _ request: DataStoreSaveChangesRequest<Snapshot>
  ) throws -> DataStoreSaveChangesResult<Snapshot>

  /// Notifies the store that a context was created.
  func initializeState(for editingState: EditingState)

  /// Notifies the store that a context was released.
  func invalidateState(for editingState: EditingState)

  /// Closes the store: completes pending work and releases its files.
  ///
  /// Every later request throws ``DataStoreError/storeClosed``. A second call has no effect.
  func close() throws

  /// Returns the snapshots that the store has cached for a context.
  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier],
    editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot]
}

extension DataStore {
  /// Always throws; a store that can delete its data overrides this method.
  public func erase() throws {
    throw DataStoreError(.unsupportedFeature, "\(Self.self) does not erase its data")
  }

  /// Counts the result of ``fetch(_:)``.
  public func fetchCount<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> Int where T: PersistentModel {
    try fetch(request).fetchedSnapshots.count
  }

  /// Returns the identifiers of the result of ``fetch(_:)``.
  public func fetchIdentifiers<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel {
    try fetch(request).fetchedSnapshots.map(\.persistentIdentifier)
  }

  public func initializeState(for editingState: EditingState) {}

  public func invalidateState(for editingState: EditingState) {}

  /// Does nothing, because a store without files has nothing to release.
  public func close() throws {}

  /// Returns no snapshots; a store that caches snapshots may return them.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier],
    editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] { [:] }
}

/// The context of a request.
public struct EditingState: Identifiable, Sendable {
  /// The identifier of the context.
  public let id: UUID
  /// The author of the changes, for the history.
  public var author: String?

  /// Creates a state; contexts create their own, and tests and tools may create any.
  package init(id: UUID = UUID(), author: String? = nil) {
    self.id = id
    self.author = author
  }
}

/// A store that deletes by predicate without loading the objects.
public protocol DataStoreBatching: DataStore {
  /// Deletes the objects that satisfy a predicate.
  func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel
}

/// A description of a store: its kind, location and models.
public protocol DataStoreConfiguration: Hashable {
  /// The kind of store that this configures.
  associatedtype Store: DataStore where Store.Configuration == Self
  /// A name for messages, which distinguishes configurations.
  var name: String { get }
  /// The models kept in this store; the container sets it if it is `nil`.
  var schema: Schema? { get set }
  /// Validates the configuration before the store is opened.
  ///
  /// - Throws: ``DataStoreError/invalidConfiguration`` with what to fix.
  func validate() throws
}

extension DataStoreConfiguration {
  public func validate() throws {}
}
