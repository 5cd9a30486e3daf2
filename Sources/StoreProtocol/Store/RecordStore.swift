import Foundation

/// The plain-value interface of a store: a few requirements over plain values.
///
/// They provide all of ``DataStore``. A record is a ``DefaultSnapshot`` whose values are in the
/// order of its entity's properties in ``Schema/storeSchema``. Contexts on many threads call a
/// store concurrently, so it must be safe to share.
///
/// The values of a record:
/// - An attribute has its stored form, or `.null` if it is absent.
/// - A to-one relationship has `.identifier` or `.null`. If the related row was deleted, the value
///   is `.null`, even if the relationship is required, and also in conditions and orders.
/// - A to-many relationship whose inverse is to-one (``StoreProperty/isDerivedToMany``) has the
///   order of its related objects as `.identifiers`. It is `.null` if they are in the order of
///   their keys. Only their inverse determines the related objects. Other identifiers in the list
///   are ignored, and related objects that are not in the list follow in the order of their keys.
/// - Any other to-many relationship has its related objects as `.identifiers`, in order.
public protocol RecordStore: DataStore, Sendable
where Snapshot == DefaultSnapshot, Configuration: Sendable {
  /// The features of the store, native or not.
  var capabilities: StoreCapabilities { get }

  /// Reads the result of a query, row by row: filter, order, ties by identifier, window.
  ///
  /// A store that has records passes them on by ``RecordStore/read(records:_:)``. One with a ``RowReader`` of its
  /// own creates none, and reads no more of each row than the query requests (``StoreQuery/content``).
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - body: A closure that receives each row. The reader is valid during the call only and moves
  ///     from row to row.
  /// - Throws: The errors of reading, and the errors of `body`, after which the store remains
  ///   usable; ``DataStoreError/unsupportedFeature`` for more than the store evaluates itself
  ///   (``RecordStore/plan(_:explained:)``), which contexts do not request.
  func read(_ query: StoreQuery, _ body: (RowReader) throws -> Void) throws

  /// Returns the number of rows that a query would return, including its window.
  ///
  /// The default implementation reads their identifiers.
  func count(_ query: StoreQuery) throws -> Int

  /// Runs a body whose reads of rows and history, on its thread, see one state where the store can give it.
  ///
  /// Saves of other threads do not wait for the body. A store whose rows are of one state reads the history
  /// of that state as well.
  ///
  /// - Parameter body: A closure that reads; it must not save.
  /// - Throws: The errors of reading, and the errors of `body`.
  func readingOneState(_ body: () throws -> Void) throws

  /// Calls a closure with the values of a selection, one row of the result after another.
  ///
  /// The default implementation for stores reads records.
  func select(_ selection: StoreSelection, _ body: ([StoreValue]) throws -> Void) throws

  /// Returns the part of a request that the store executes itself, without executing it.
  ///
  /// The layer above asks before each request, and then for that part only. If the plan has all of a query, the
  /// store is asked for the order and the window too; otherwise it is asked for the filter without them.
  ///
  /// ``StoreChanges/bulkChanges`` contains only changes whose plan was complete
  /// (`StorePlan.isComplete`) when the program made them. The layer above makes the others
  /// object by object. It does the same after ``apply(_:)`` throws for a change that the store no
  /// longer supports.
  ///
  /// By default, the store filters and sorts if its ``RecordStore/capabilities`` declare this as native, and makes
  /// no bulk changes.
  ///
  /// - Parameters:
  ///   - request: A query, a selection, or a bulk change.
  ///   - explained: Whether an explanation is wanted, which may cost more than the request. A
  ///     store with nothing to add leaves it out.
  /// - Returns: The part of the store; the layer above does the rest.
  /// - Throws: The errors of the store for an unknown entity, and the errors of reading.
  func plan(_ request: StorePlan.Request, explained: Bool) throws -> StorePlan

  /// Returns the related objects of to-many relationships of rows, or reads their rows.
  ///
  /// By default, the objects are listed from the records. A store may read the rows instead if these
  /// are wanted, which saves the layer above from requesting them by key afterward. Rows and stored
  /// orders are then of one state of the store.
  ///
  /// - Parameters:
  ///   - property: The name of the relationship.
  ///   - entity: The entity of the relationship.
  ///   - owners: The rows with the relationship.
  ///   - wantsRows: Whether rows are wanted; only if the related objects refer to their owners
  ///     (``StoreProperty/isDerivedToMany``).
  ///   - body: A closure that receives each related row that is read, in no particular order, with the
  ///     key of its owner.
  /// - Returns: The related objects, or the orders of those whose rows were read.
  /// - Throws: The errors of reading, and the errors of `body`.
  func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier],
    wantsRows: Bool,
    _ body: (_ owner: Int64, RowReader) throws -> Void
  ) throws -> StoreMembers

  /// Returns the key of the next new row, or `nil` (the default) if the store takes no keys in
  /// ``StoreChanges/keys``.
  ///
  /// A copy of a store uses it to preserve keys.
  ///
  /// - Throws: The errors of reading.
  func nextKey() throws -> Int64?

  /// Applies a batch of changes atomically, as ``DataStore/save(_:)`` promises.
  ///
  /// Inserted records have temporary identifiers, which may occur in references anywhere in the
  /// batch. The store assigns each a permanent identifier that was never used before.
  ///
  /// A new record with the unique values of a stored row updates that row and takes its identifier.
  /// Of two new records in one batch, the later one wins. Attributes and to-one references are then
  /// those of the new record. A to-many relationship has the related objects of both, the row's
  /// first. If its inverse is to-one, this holds for the stored orders: the row's, then the record's.
  /// Related objects in neither follow in the order of their keys. If the merged row referred to another row by a one-to-one relationship and no longer
  /// does, the other row's reference is cleared. Lists of related objects contain no duplicates.
  ///
  /// - Throws: ``DataStoreError/outcomeUnknown`` if the store cannot determine whether the batch is
  ///   stored; ``RecordStore/outcome(ofSave:)`` may determine it later. After any other error
  ///   nothing is stored, even after a kill of the process or a loss of power.
  func apply(_ changes: StoreChanges) throws -> StoreChangesResult

  /// Returns the outcome of a save for which ``apply(_:)`` threw ``DataStoreError/outcomeUnknown``.
  ///
  /// The store first tries to bring its files into a state in which the outcome is certain and
  /// final. It does so by itself before it serves any other request.
  ///
  /// - Parameter identifier: The save's ``StoreChanges/saveIdentifier``.
  /// - Returns: Whether the save is stored, with its result.
  /// - Throws: ``DataStoreError/outcomeUnknown`` while the outcome is unknown, and
  ///   ``DataStoreError/unsupportedFeature`` from a store that can never determine it.
  func outcome(ofSave identifier: UUID) throws -> SaveOutcome

  /// Returns a watcher for saves by other processes, or `nil` (the default) if the store has none.
  ///
  /// - Throws: The errors of reading.
  func watch() throws -> (any StoreWatch)?

  /// The number of the last save that the store has noticed, by any writer, or `nil` (the default).
  ///
  /// It is `nil` if the store does not notice saves of others. Numbers are those of ``StoreChangesResult/version``. After a save of this store, the number is
  /// at least that of the save. After ``RecordStore/read(_:_:)`` of a query that names no identifiers, it is at
  /// least the number of each save whose changes the rows can show. A context asks before and after
  /// each fetch, so that it loads again what others may have changed. It costs no request: a store
  /// on a server learns the number together with the rows.
  var latestSave: Int64? { get }
}
