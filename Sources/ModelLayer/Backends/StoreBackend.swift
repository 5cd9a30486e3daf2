import Foundation
import StoreProtocol

/// A store as contexts use it, whatever protocol it adopts.
protocol StoreBackend: AnyObject, Sendable {
  /// The store's name in identifiers.
  var identifier: String { get }
  /// The schema of the store's part of the models.
  var schema: Schema { get }
  var capabilities: StoreCapabilities { get }
  /// Whether elements of derived to-many relationships are found through their own references.
  var derivesMembers: Bool { get }
  /// The store itself, for code that knows its type.
  var store: any DataStore { get }
  /// Provides access to the store itself, exclusively if it must not be shared.
  func withStore<Result>(_ body: (any DataStore) throws -> Result) rethrows -> Result
  /// Reads rows in the order of a query.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - request: The fetch as the program specified it, for stores that implement SwiftData's
  ///     requirements, or `nil` if the query comes from the engine.
  ///   - body: Called with each row.
  /// - Throws: Errors of the store and the body.
  func read(
    _ query: StoreQuery,
    as request: (any FetchRequest)?,
    _ body: (RowReader) throws -> Void
  ) throws
  /// Returns the number of rows of a query.
  func count(_ query: StoreQuery, as request: (any FetchRequest)?) throws -> Int
  func identifiers(
    _ query: StoreQuery,
    as request: (any FetchRequest)?
  ) throws -> [PersistentIdentifier]
  /// Reads the values of a selection.
  func select(_ selection: StoreSelection, _ body: ([StoreValue]) throws -> Void) throws
  /// Explains how a query would be evaluated.
  func explain(_ query: StoreQuery) throws -> StoreExplanation
  /// Explains how a selection would be computed.
  func explain(_ selection: StoreSelection) throws -> StoreExplanation
  /// Returns the elements of to-many relationships.
  func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier: [PersistentIdentifier]]
  /// Reads the rows of related objects with their owners, as
  /// ``RecordStore/readMembers(of:in:owners:_:)`` does.
  func readMembers(
    of property: String,
    in entity: String,
    owners: [Int64],
    _ body: (_ owner: Int64, RowReader) throws -> Void
  ) throws -> [Int64: [Int64]]?
  /// Returns a source of single rows, or `nil` if each needs a query.
  func rowSource(of entity: String) throws -> (any RowSource)?
  /// Runs a body whose reads see one state, if the store can provide it.
  func readingOneState(_ body: () throws -> Void) throws
  /// Returns the part of a bulk change that the store makes itself.
  func part(of change: BulkChange) throws -> StoreQueryPart
  /// Returns the key of the next new row, or `nil` if the store accepts no keys.
  func nextKey() throws -> Int64?
  /// Whether the store reads the values of an entity's objects directly from the objects.
  func readsSources(of entity: String) -> Bool
  /// Applies changes, all or nothing.
  ///
  /// - Parameters:
  ///   - changes: The changes.
  ///   - related: The objects of references, for stores whose snapshots read them.
  /// - Returns: The store's result.
  /// - Throws: Errors of the store.
  func apply(_ changes: StoreChanges, _ related: RelatedObjects) throws -> StoreChangesResult
  /// Whether the store keeps a history of saves.
  var keepsHistory: Bool { get }
  /// Returns the outcome of a save whose commit was indeterminate.
  func outcome(ofSave identifier: UUID) throws -> SaveOutcome
  /// Returns a watcher for saves by other processes, or `nil` if the store has none.
  func watch() throws -> (any StoreWatch)?
  /// Removes all data.
  func erase() throws
  /// Tells the store that a context was created.
  func initializeState(for editingState: EditingState)
  /// Tells the store that a context has ended.
  func invalidateState(for editingState: EditingState)
}

// Requests of the engine itself.
extension StoreBackend {
  /// Reads rows in the order of a query.
  func read(_ query: StoreQuery, _ body: (RowReader) throws -> Void) throws {
    try read(query, as: nil, body)
  }

  /// Applies changes of no context, all or nothing.
  func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    try apply(changes, RelatedObjects())
  }

  /// Returns the number of rows of a query.
  func count(_ query: StoreQuery) throws -> Int { try count(query, as: nil) }

  /// Reads records as rows, with the initial values of attributes that the store does not keep.
  func read(
    _ records: [DefaultSnapshot],
    filledBy ephemerals: Ephemerals?,
    _ body: (RowReader) throws -> Void
  ) throws {
    let reader = SnapshotReader(schema: schema.storeSchema)
    for record in records {
      try reader.move(to: record)
      try body(ephemerals?.filled(reader) ?? reader)
    }
  }
}
