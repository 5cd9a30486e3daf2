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

/// The changes of one save as plain values.
public struct StoreChanges: Sendable {
  /// Changes of all rows that match queries; they take effect in order, before all other changes.
  public var bulkChanges: [BulkChange]
  /// The new rows, in the order in which they get their keys.
  ///
  /// A store reads their values while it writes them. A store that keeps records takes
  /// ``inserted`` instead.
  public var insertions: [RowRun]
  /// The changed rows, of which a later change of a row overrides an earlier one.
  public var updates: [RowRun]
  /// The rows to delete.
  public var deleted: [PersistentIdentifier]
  /// The context that saves.
  public var editingState: EditingState
  /// The required versions of rows of `updated` and `deleted`; other rows are changed regardless of
  /// their version.
  ///
  /// A store that keeps versions (``StoreCapabilities/versions``) throws
  /// ``DataStoreError/conflict`` and applies nothing if one of these rows has another version or
  /// was deleted. A store that keeps none rejects the batch
  /// (``RecordStore/check(_:)``).
  public var expectedVersions: [PersistentIdentifier: Int64]
  /// The relationships by which no row may lose a related row because of this save.
  ///
  /// Delete rules and required relationships rest on them: another save may relate a row to one that
  /// this save deletes, or delete a row to which this save relates one. A store that keeps versions
  /// throws ``DataStoreError/conflict`` and applies nothing in two cases:
  /// - A row refers by one of them to a row of `deleted`, and the batch neither deletes it nor changes
  ///   its relationship. ``DataStoreError/identifiers`` has such rows.
  /// - A row of `inserted` or `updated` refers by one of them, to one, to a row that does not exist.
  ///   The identifiers are those of the missing rows.
  ///
  /// The error has the entity and the property. A store that keeps no versions rejects the batch
  /// (``RecordStore/check(_:)``). Bulk changes are not affected.
  public var protectedReferences: Set<StoreReference> = []
  /// The keys of new rows, by temporary identifier; other rows get the next key.
  ///
  /// This is for a store with a ``RecordStore/nextKey()`` only. The keys must increase in the order
  /// of `inserted`, and none may be below the store's next key, so that no key is used twice;
  /// otherwise the store throws ``DataStoreError/invalidValue``. The next key follows the last of
  /// them. A record that updates a stored row takes no key.
  public var keys: [PersistentIdentifier: Int64] = [:]
  /// The minimum key of rows of later saves, or `nil` if the batch does not raise it; for a store
  /// with a ``RecordStore/nextKey()`` only.
  public var nextKey: Int64?
  /// The unique identifier of the save, for ``RecordStore/outcome(ofSave:)`` and the history.
  public var saveIdentifier: UUID
  /// The kind of work that the save is for, for the history.
  public var origin: SaveOrigin
  /// The changes among ``updated`` and ``deleted`` that delete rules made, for the history.
  public var consequences = DeleteConsequences()
  /// Whether each inserted record must become a new row.
  ///
  /// The store then throws ``DataStoreError/uniqueConflict`` for a record with the unique values of
  /// another, instead of updating it (`checkInsertions(_:in:)` of `StoreHelpers`).
  public var requiresNew = false
  /// The positions that readers of the history reach with the save; for a store with a history
  /// only.
  public var readers: [HistoryReaderPosition] = []

  /// Creates a batch of changes; without an identifier, it gets a new one.
  package init(
    bulkChanges: [BulkChange] = [],
    inserted: [DefaultSnapshot] = [],
    updated: [StoreUpdate] = [],
    deleted: [PersistentIdentifier] = [],
    editingState: EditingState = EditingState(),
    expectedVersions: [PersistentIdentifier: Int64] = [:],
    saveIdentifier: UUID? = nil,
    origin: SaveOrigin = .program
  ) {
    self.bulkChanges = bulkChanges
    insertions = inserted.isEmpty ? [] : RowRun.runs(of: inserted)
    updates = updated.isEmpty ? [] : RowRun.runs(of: updated)
    self.deleted = deleted
    self.editingState = editingState
    self.expectedVersions = expectedVersions
    self.saveIdentifier = saveIdentifier ?? StoreEnvironment.current.makeSaveIdentifier()
    self.origin = origin
  }
}

/// The rows as records, for stores that keep these.
extension StoreChanges {
  /// The new rows as records, with temporary identifiers.
  ///
  /// - Complexity: O(*n*) for each access.
  public var inserted: [DefaultSnapshot] {
    get {
      let names = NewRowNames(insertions)
      return insertions.flatMap { $0.records(names) }
    }
    set { insertions = RowRun.runs(of: newValue) }
  }

  /// The changed rows, with the changed values only.
  ///
  /// - Complexity: O(*n*) for each access.
  public var updated: [StoreUpdate] {
    get {
      let names = NewRowNames(insertions)
      return updates.flatMap { $0.updates(names) }
    }
    set { updates = RowRun.runs(of: newValue) }
  }

  /// The changes with records in place of objects, which may then change; the runs are the same.
  public var recorded: StoreChanges {
    var changes = self
    let names = NewRowNames(insertions)
    changes.insertions = insertions.map { $0.recordedInsertion(names) }
    changes.updates = updates.map { $0.recordedUpdate(names) }
    return changes
  }
}

/// The changes of a batch that delete rules made, so that the history distinguishes them from the
/// program's.
///
/// They do not affect the changes of rows. A store with a history records them as
/// ``StoreChange/Cause/deleteRule``, like references that it clears itself (`HistoryRecorder`).
public struct DeleteConsequences: Hashable, Sendable {
  /// The rows of ``StoreChanges/deleted`` that are deleted because another row is.
  package var deleted: Set<PersistentIdentifier> = []
  /// The rows of ``StoreChanges/updated`` whose references to deleted rows are cleared, with the
  /// indices of the properties.
  package var cleared: [PersistentIdentifier: [Int]] = [:]

  /// Creates an empty set of consequences.
  package init() {}
}

/// The changed values of one row.
public struct StoreUpdate: Sendable {
  /// One changed value.
  public struct Change: Hashable, Sendable {
    /// The index of the property in its entity; the store rejects an unknown one with
    /// ``DataStoreError/invalidValue``.
    public let index: Int
    /// The new value.
    public let value: StoreValue

    /// Creates a change.
    package init(_ index: Int, _ value: StoreValue) {
      self.index = index
      self.value = value
    }
  }

  /// The row.
  public let identifier: PersistentIdentifier
  /// The changed values, in ascending order of index.
  public let changes: [Change]

  /// Creates an update.
  package init(identifier: PersistentIdentifier, changes: [Change]) {
    self.identifier = identifier
    self.changes = changes
  }
}

/// The result of a batch of changes.
public struct StoreChangesResult: Sendable {
  /// The permanent identifier of each temporary identifier that ``firstKeys`` does not tell, or whose
  /// run needs it (``RowRun/needsNames``).
  public var remapped: [PersistentIdentifier: PersistentIdentifier]
  /// The temporary identifiers of new records that became updates of stored rows.
  public var merged: Set<PersistentIdentifier>
  /// The rows that ``StoreChanges/bulkChanges`` changed.
  public var updated: [PersistentIdentifier] = []
  /// The rows that ``StoreChanges/bulkChanges`` deleted, including delete rules.
  public var deleted: [PersistentIdentifier] = []
  /// The number of this save, or 0 from a store that keeps no versions.
  ///
  /// It is now the version of each row that the save changed, and greater than the number of any
  /// earlier save.
  public var version: Int64
  /// Whether the history has a transaction of the save, which is the case unless nothing changed.
  public var isInHistory = true
  /// The saved rows with other values than those of the batch, which a context reads again.
  ///
  /// A store that keeps versions names each saved row of which it clears a reference, because another
  /// save has deleted the row that it refers to.
  public var changedByStore: [PersistentIdentifier] = []
  /// The key of the first row of each run of ``StoreChanges/insertions``; the others have the following
  /// keys, but for those with an entry in ``remapped``.
  ///
  /// It is empty from a store whose ``remapped`` has all new rows.
  public var firstKeys: [Int64] = []

  /// Creates a result.
  public init(
    remapped: [PersistentIdentifier: PersistentIdentifier] = [:],
    merged: Set<PersistentIdentifier> = [],
    version: Int64 = 0
  ) {
    self.remapped = remapped
    self.merged = merged
    self.version = version
  }
}
