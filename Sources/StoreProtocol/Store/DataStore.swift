/// A place that stores models, behind a `ModelContainer`.
///
/// These are SwiftData's requirements. A store that is written from new should rather adopt
/// ``RecordStore``, from which all of these follow and which needs no model type.
public protocol DataStore: AnyObject {
  /// The configuration that describes such a store.
  associatedtype Configuration: DataStoreConfiguration where Configuration.Store == Self
  /// The copies of models in which the store deals.
  associatedtype Snapshot: DataStoreSnapshot

  /// The store's name in identifiers, the same whenever the same data is opened.
  var identifier: String { get }
  /// The schema of the models that the store holds.
  var schema: Schema { get }
  /// The configuration that the store was made from.
  var configuration: Configuration { get }

  /// Opens the store of a configuration, making it where there is none.
  ///
  /// - Parameters:
  ///   - configuration: Where and how; its schema is set.
  ///   - migrationPlan: How to bring older data to the schema.
  /// - Throws: ``DataStoreError`` with a code that says what stands in the way.
  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// Removes all data at once, irrevocably.
  func erase() throws

  /// Answers a fetch.
  ///
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` or ``DataStoreError/preferInMemorySort`` to
  ///   leave that part, and the window after it, to the layer above.
  func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Snapshot>
  where T: PersistentModel

  /// Counts what a fetch would give.
  func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel

  /// The identifiers of what a fetch would give, in its order.
  func fetchIdentifiers<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel

  /// Applies a batch of changes, all or nothing.
  ///
  /// When this method returns, every later read on this store sees the batch, and it survives a
  /// crash of the process. When it throws, no read ever sees any part of it.
  ///
  /// - Throws: ``DataStoreError/notSaved`` or a code that says why, or
  ///   ``DataStoreError/outcomeUnknown`` where the store cannot tell.
  func save(
    _ request: DataStoreSaveChangesRequest<Snapshot>
  ) throws -> DataStoreSaveChangesResult<Snapshot>

  /// Learns that a context came to life.
  func initializeState(for editingState: EditingState)

  /// Learns that a context is gone.
  func invalidateState(for editingState: EditingState)

  /// Closes the store: completes what is under way and releases its files.
  ///
  /// Every request after it throws ``DataStoreError/storeClosed``. A second call does nothing.
  func close() throws

  /// The snapshots that the store already has in memory for a context.
  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier],
    editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot]
}

extension DataStore {
  /// Refuses: a store that can remove its data says how.
  public func erase() throws {
    throw DataStoreError(.unsupportedFeature, "\(Self.self) does not erase its data")
  }

  /// Counts the result of ``fetch(_:)``.
  public func fetchCount<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> Int where T: PersistentModel {
    try fetch(request).fetchedSnapshots.count
  }

  /// Takes the identifiers from the result of ``fetch(_:)``.
  public func fetchIdentifiers<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel {
    try fetch(request).fetchedSnapshots.map(\.persistentIdentifier)
  }

  public func initializeState(for editingState: EditingState) {}

  public func invalidateState(for editingState: EditingState) {}

  /// Does nothing: a store without files has nothing to release.
  public func close() throws {}

  /// None: a store that keeps snapshots in memory may say which.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier],
    editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] { [:] }
}

/// A store that deletes by predicate without loading what it deletes.
public protocol DataStoreBatching: DataStore {
  /// Deletes the objects that satisfy a predicate.
  func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel
}

/// The description of a store: which kind, where, and for which models.
public protocol DataStoreConfiguration: Hashable {
  /// The kind of store that this configures.
  associatedtype Store: DataStore where Store.Configuration == Self
  /// A name for messages and to tell configurations apart.
  var name: String { get }
  /// The models kept in this store; the container fills it in where it is nil.
  var schema: Schema? { get set }
  /// Checks the configuration before anything is opened.
  ///
  /// - Throws: ``DataStoreError/invalidConfiguration`` with what to mend.
  func validate() throws
}

extension DataStoreConfiguration {
  public func validate() throws {}
}
