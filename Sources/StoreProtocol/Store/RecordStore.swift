import Foundation

/// The plain way to write a store: a handful of requirements over plain values.
///
/// All of ``DataStore`` follows from these. A record is a ``DefaultSnapshot`` whose values stand
/// in the order of its entity's properties in ``Schema/storeSchema``. Contexts on many threads
/// call a store at once, so that it must be safe to share.
///
/// What the values of a record hold:
/// - an attribute its stored form, `.null` where it is absent;
/// - a to-one relationship `.identifier` or `.null`; of a row that was deleted `.null`, also where
///   the relationship is required, and so it is in conditions and orders;
/// - a to-many relationship whose inverse is to-one (``StoreProperty/isDerivedToMany``) the order
///   of its members as `.identifiers`, or `.null` where they come in the order of their keys. Who
///   the members are is said by the members' own inverse alone: identifiers in the list that no
///   longer belong are passed over, members that are not in it follow in the order of their keys;
/// - any other to-many relationship its members as `.identifiers` in order.
public protocol RecordStore: DataStore, Sendable
where Snapshot == DefaultSnapshot, Configuration: Sendable {
  /// What the store can do, natively or not.
  var capabilities: StoreCapabilities { get }

  /// Answers a query: filter, order, ties by identifier, window.
  ///
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` or ``DataStoreError/preferInMemorySort`` to
  ///   leave that part to the layer above, before anything was read.
  func fetch(_ query: StoreQuery) throws -> [DefaultSnapshot]

  /// Counts what a query would give, window included.
  func count(_ query: StoreQuery) throws -> Int

  /// The identifiers of what a query would give.
  func identifiers(_ query: StoreQuery) throws -> [PersistentIdentifier]

  /// Reads rows one by one without making records, in the order of the query.
  ///
  /// - Parameters:
  ///   - query: What is asked.
  ///   - body: Takes each row: its ``RowReader/identifier``, its version and its values. The reader is
  ///     valid during the call only and moves from row to row.
  /// - Throws: What reading throws, and the errors of `body`, after which the store works on.
  func read(_ query: StoreQuery, _ body: (RowReader) throws -> Void) throws

  /// Reads the rows of the members of a to-many relationship that refer to their owners themselves.
  ///
  /// This spares the layer above asking for the members first and for their rows by key then. Rows and
  /// kept orders are of one state of the store.
  ///
  /// - Parameters:
  ///   - property: The name of the relationship.
  ///   - entity: The entity that has it.
  ///   - owners: The keys of the owners' rows.
  ///   - body: Takes each row, in no order, with the key of its owner.
  /// - Returns: The order that an owner keeps, by its key, where it keeps one; `nil` (the default), and
  ///   no row is read, if the store does not read members this way.
  /// - Throws: What reading throws, and the errors of `body`.
  func readMembers(
    of property: String,
    in entity: String,
    owners: [Int64],
    _ body: (_ owner: Int64, RowReader) throws -> Void
  ) throws -> [Int64: [Int64]]?

  /// Returns a source of single rows of an entity, and of those that inherit from it, which is kept.
  ///
  /// Programs ask for one object after the other by its identifier, and a query costs more than the row
  /// then.
  ///
  /// - Parameter entity: The name of the entity.
  /// - Returns: The source, or `nil` (the default) if the store answers by queries alone.
  /// - Throws: What the store throws for an entity that it lacks.
  func rowSource(of entity: String) throws -> (any RowSource)?

  /// Runs a body whose reads of rows and history, on its thread, see one state where the store can give it.
  ///
  /// Saves of other threads do not wait for the body. A store whose rows are of one state reads the history
  /// of that state as well.
  ///
  /// - Parameter body: Reads; it saves nothing.
  /// - Throws: What reading throws, and the errors of `body`.
  func readingOneState(_ body: () throws -> Void) throws

  /// Gives the values of a selection, one row of the answer after the other.
  ///
  /// Stores that have no way of their own get this from `fetch`.
  func select(_ selection: StoreSelection, _ body: ([StoreValue]) throws -> Void) throws

  /// The part of a query that the store answers itself, all by default.
  ///
  /// The store is then asked for that part alone: for the filter that it takes, in the order and
  /// with the window of the query where it takes all, without them where something remains.
  func part(of query: StoreQuery) throws -> StoreQueryPart

  /// How the store would answer a query, without answering it.
  func explain(_ query: StoreQuery) throws -> StoreExplanation

  /// How the store would compute a selection, without computing it.
  ///
  /// It is native where neither rows nor groups are left to the evaluator.
  func explain(_ selection: StoreSelection) throws -> StoreExplanation

  /// The members of to-many relationships of some rows, in order.
  ///
  /// - Returns: One entry for each owner that exists, under its identifier as it is in `owners`, where
  ///   it may name an entity above the row's.
  func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier: [PersistentIdentifier]]

  /// Whether the store makes a change of all rows that a query finds by itself, none by default.
  ///
  /// Only what it answers yes to stands in ``StoreChanges/bulkChanges``; the layer above makes other
  /// such changes object by object.
  func supports(_ change: BulkChange) throws -> Bool

  /// Returns the key of the next new row, or `nil` (the default) if the store takes no keys in
  /// ``StoreChanges/keys``.
  ///
  /// A copy of a store keeps its keys by this.
  ///
  /// - Throws: What reading throws.
  func nextKey() throws -> Int64?

  /// Applies a batch of changes, all or nothing, as ``DataStore/save(_:)`` promises.
  ///
  /// Inserted records have temporary identifiers, which may stand in references anywhere in the
  /// batch; the store gives each a permanent identifier that was never used before. A new record
  /// with the unique values of a stored row updates that row and takes its identifier; of two new
  /// ones in one batch the later wins. Attributes and references to one are then those of the new
  /// record, and a to-many relationship has the members of both, the row's first; a row that the
  /// merged one led to by a one-to-one relationship, and no longer leads to, refers to it no more.
  /// A list of members has nobody twice.
  ///
  /// - Throws: ``DataStoreError/outcomeUnknown`` when the store cannot tell whether the batch is
  ///   stored, and ``RecordStore/outcome(ofSave:)`` may tell later. After any other error nothing
  ///   is stored, and it stays so when the process is killed then or the power is lost.
  func apply(_ changes: StoreChanges) throws -> StoreChangesResult

  /// Returns a Boolean value that indicates whether the store takes records of an entity from sources,
  /// `false` by default.
  func takesSources(of entity: String) -> Bool

  /// Applies changes and then those of sources, all or nothing, as ``apply(_:)`` does.
  ///
  /// Only for entities whose sources the store takes (``takesSources(of:)``). The values may be asked for
  /// several times. All new records get keys that follow each other, source by source; the first of each
  /// source stands in ``StoreChangesResult/firstKeys``.
  ///
  /// - Throws: What ``apply(_:)`` throws.
  func apply(_ changes: StoreChanges, _ sources: ChangeSources) throws -> StoreChangesResult

  /// What became of a save for which ``apply(_:)`` threw ``DataStoreError/outcomeUnknown``.
  ///
  /// The store first tries to bring its files to where the answer is certain and stays so. It
  /// does the same by itself before it answers any other question.
  ///
  /// - Parameter identifier: The save's ``StoreChanges/saveIdentifier``.
  /// - Returns: Whether the save is stored, with its result.
  /// - Throws: ``DataStoreError/outcomeUnknown`` as long as nobody can tell, and
  ///   ``DataStoreError/unsupportedFeature`` from a store that never will.
  func outcome(ofSave identifier: UUID) throws -> SaveOutcome

  /// What notices the saves of other processes; nil from a store that cannot, as by default.
  ///
  /// - Throws: What reading throws.
  func watch() throws -> (any StoreWatch)?

  /// Removes all data at once; identifiers are not given again.
  func erase() throws
}

/// The changes of one save as plain values.
public struct StoreChanges: Sendable {
  /// Changes of all rows that queries find; they take effect in order, before all else.
  public var bulkChanges: [BulkChange]
  /// New rows with temporary identifiers.
  public var inserted: [DefaultSnapshot]
  /// Changed rows with the changed values only.
  public var updated: [StoreUpdate]
  /// The rows to remove.
  public var deleted: [PersistentIdentifier]
  /// The context that saves.
  public var editingState: EditingState
  /// The versions at which rows of `updated` and `deleted` must still be; rows that are not named
  /// are changed whatever their version.
  ///
  /// A store that keeps versions (``StoreCapabilities/versions``) throws
  /// ``DataStoreError/conflict`` and applies nothing when one of these rows has another version or
  /// is gone. One that keeps none refuses the batch
  /// (``StoreCapabilities/check(_:)-(StoreChanges)``).
  public var expectedVersions: [PersistentIdentifier: Int64]
  /// The keys of new rows, by temporary identifier; rows that are not named get the next key.
  ///
  /// Only for a store that has a ``RecordStore/nextKey()``. The keys rise in the order of `inserted`
  /// and none is below the store's next key, so that no key is used twice; the store throws
  /// ``DataStoreError/invalidValue`` otherwise. The next key follows the last of them. A record that
  /// updates a stored row takes no key.
  public var keys: [PersistentIdentifier: Int64] = [:]
  /// The least key for rows of later saves, or `nil` if the batch does not raise it; only for a
  /// store that has a ``RecordStore/nextKey()``.
  public var nextKey: Int64?
  /// What tells this save from any other, for ``RecordStore/outcome(ofSave:)`` and in the history.
  public var saveIdentifier: UUID
  /// The kind of work that the save is for, which the history keeps.
  public var origin: SaveOrigin
  /// The changes among ``updated`` and ``deleted`` that delete rules made, which the history keeps.
  public var consequences = DeleteConsequences()
  /// A Boolean value that indicates whether each inserted record must become a row of its own: the store
  /// throws ``DataStoreError/uniqueConflict`` for one that has the unique values of another, in place of
  /// updating it (``checkInsertions(_:)``).
  public var requiresNew = false
  /// The positions that readers of the history reach with the save; only for a store that keeps a
  /// history.
  public var readers: [HistoryReaderPosition] = []

  /// Creates a batch of changes; one without an identifier gets a new one.
  public init(
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
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
    self.editingState = editingState
    self.expectedVersions = expectedVersions
    self.saveIdentifier = saveIdentifier ?? StoreEnvironment.current.makeSaveIdentifier()
    self.origin = origin
  }
}

/// The changes of a batch that delete rules made, for the history to tell apart from the program's.
///
/// They change nothing of what the store does to rows. A store that keeps a history notes them as
/// ``StoreChange/Cause/deleteRule``, and so it does references that it clears itself
/// (``HistoryRecorder``).
public struct DeleteConsequences: Hashable, Sendable {
  /// The rows of ``StoreChanges/deleted`` that went because another row does.
  public var deleted: Set<PersistentIdentifier> = []
  /// The rows of ``StoreChanges/updated`` that refer to deleted ones no more, and the positions of the
  /// properties by which they did.
  public var cleared: [PersistentIdentifier: [Int]] = [:]

  /// Creates an empty set of consequences.
  public init() {}
}

/// The changed values of one row.
public struct StoreUpdate: Sendable {
  /// One changed value.
  public struct Change: Hashable, Sendable {
    /// The position of the property in its entity; the store refuses one that the entity lacks with
    /// ``DataStoreError/invalidValue``.
    public let index: Int
    /// The new value.
    public let value: StoreValue

    /// Creates a change.
    public init(_ index: Int, _ value: StoreValue) {
      self.index = index
      self.value = value
    }
  }

  /// The row.
  public let identifier: PersistentIdentifier
  /// The changed values, by rising index.
  public let changes: [Change]

  /// Creates an update.
  public init(identifier: PersistentIdentifier, changes: [Change]) {
    self.identifier = identifier
    self.changes = changes
  }
}

/// What a batch of changes came to.
public struct StoreChangesResult: Sendable {
  /// The permanent identifier of each temporary one.
  public var remapped: [PersistentIdentifier: PersistentIdentifier]
  /// The temporary identifiers of new records that became updates of stored rows.
  public var merged: Set<PersistentIdentifier>
  /// The rows that ``StoreChanges/bulkChanges`` changed.
  public var updated: [PersistentIdentifier] = []
  /// The rows that they removed, delete rules included.
  public var deleted: [PersistentIdentifier] = []
  /// The number of this save, 0 from a store that keeps no versions.
  ///
  /// It is now the version of each row that the save changed, and greater than the number of any
  /// save before.
  public var version: Int64
  /// A Boolean value that indicates whether the history has a transaction of the save, as it has unless
  /// nothing changed.
  public var isInHistory = true
  /// The key of the first row of each ``RecordSource``; those of its other rows follow it.
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
