import StoreProtocol

/// A store as contexts use it, whatever protocol it adopts.
protocol StoreBackend: AnyObject, Sendable {
  /// The store's name in identifiers.
  var identifier: String { get }
  /// The schema of the store's part of the models.
  var schema: Schema { get }
  /// What the store can do.
  var capabilities: StoreCapabilities { get }
  /// Whether members of derived to-many relationships are found through their own references.
  var derivesMembers: Bool { get }
  /// The store itself, for those who know its type.
  var store: any DataStore { get }
  /// Reads rows in the order of a query.
  func read(
    _ query: StoreQuery,
    _ body: (PersistentIdentifier, RowReader) throws -> Void
  ) throws
  /// Counts what a query would give.
  func count(_ query: StoreQuery) throws -> Int
  /// The identifiers of what a query would give.
  func identifiers(_ query: StoreQuery) throws -> [PersistentIdentifier]
  /// The members of to-many relationships.
  func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier: [PersistentIdentifier]]
  /// Applies changes, all or nothing.
  func apply(_ changes: StoreChanges) throws -> StoreChangesResult
  /// Removes all data.
  func erase() throws
  /// Tells the store that a context came to life.
  func initializeState(for editingState: EditingState)
  /// Tells the store that a context is gone.
  func invalidateState(for editingState: EditingState)
}
