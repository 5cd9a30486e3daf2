import Foundation
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
  /// Lends the store itself, when nobody else uses it where it must not be shared.
  func withStore<Result>(_ body: (any DataStore) throws -> Result) rethrows -> Result
  /// Reads rows in the order of a query.
  ///
  /// - Parameters:
  ///   - query: What is asked.
  ///   - request: The same as the program said it, for stores that were written for that; nil where
  ///     the engine itself asks.
  ///   - body: What to do with each row.
  /// - Throws: What the store and the body throw.
  func read(
    _ query: StoreQuery,
    as request: (any FetchRequest)?,
    _ body: (RowReader) throws -> Void
  ) throws
  /// Counts what a query would give.
  func count(_ query: StoreQuery, as request: (any FetchRequest)?) throws -> Int
  /// The identifiers of what a query would give.
  func identifiers(
    _ query: StoreQuery,
    as request: (any FetchRequest)?
  ) throws -> [PersistentIdentifier]
  /// Gives the values of a selection.
  func select(_ selection: StoreSelection, _ body: ([StoreValue]) throws -> Void) throws
  /// How a query would be answered.
  func explain(_ query: StoreQuery) throws -> StoreExplanation
  /// How a selection would be computed.
  func explain(_ selection: StoreSelection) throws -> StoreExplanation
  /// The members of to-many relationships.
  func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier: [PersistentIdentifier]]
  /// Reads the rows of members with their owners, as ``RecordStore/readMembers(of:in:owners:_:)`` does.
  func readMembers(
    of property: String,
    in entity: String,
    owners: [Int64],
    _ body: (_ owner: Int64, RowReader) throws -> Void
  ) throws -> [Int64: [Int64]]?
  /// A source of single rows, or `nil` if each needs a query.
  func rowSource(of entity: String) throws -> (any RowSource)?
  /// Runs a body whose reads see one state where the store can give it.
  func readingOneState(_ body: () throws -> Void) throws
  /// Whether the store makes a change of all rows that a query finds by itself.
  func supports(_ change: BulkChange) throws -> Bool
  /// Returns the key of the next new row, or `nil` if the store takes no keys of others.
  func nextKey() throws -> Int64?
  /// Whether the store takes the values of an entity's objects straight from these.
  func takesSources(of entity: String) -> Bool
  /// Applies changes and those of sources, all or nothing.
  func apply(_ changes: StoreChanges, _ sources: ChangeSources) throws -> StoreChangesResult
  /// Whether the store remembers what saves changed.
  var keepsHistory: Bool { get }
  /// What became of a save that the store was in doubt of.
  func outcome(ofSave identifier: UUID) throws -> SaveOutcome
  /// What notices the saves of other processes, nil where the store cannot.
  func watch() throws -> (any StoreWatch)?
  /// Removes all data.
  func erase() throws
  /// Tells the store that a context came to life.
  func initializeState(for editingState: EditingState)
  /// Tells the store that a context is gone.
  func invalidateState(for editingState: EditingState)
}

// What the engine asks for itself.
extension StoreBackend {
  /// Applies a batch, all or nothing.
  func apply(_ batch: SavePlan.Batch) throws -> StoreChangesResult {
    if batch.sources.isEmpty, batch.updates.isEmpty { return try apply(batch.changes) }
    return try apply(batch.changes, batch.changeSources)
  }

  /// Applies changes, all or nothing.
  func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    try apply(changes, ChangeSources())
  }

  /// Reads rows in the order of a query.
  func read(_ query: StoreQuery, _ body: (RowReader) throws -> Void) throws {
    try read(query, as: nil, body)
  }

  /// Counts what a query would give.
  func count(_ query: StoreQuery) throws -> Int { try count(query, as: nil) }
}
