import Foundation

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
  /// The rows of ``deleted`` that a delete rule deletes because another row is deleted.
  ///
  /// This and ``cleared`` affect the history only: a store records these changes as
  /// ``StoreChange/Cause/deleteRule``, like references that it clears itself (`HistoryRecorder`).
  package var cascaded: Set<PersistentIdentifier> = []
  /// The rows of ``updated`` whose references to deleted rows a delete rule cleared, with the indices
  /// of the properties.
  package var cleared: [PersistentIdentifier: [Int]] = [:]
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

extension RecordStore {
  /// Throws if a batch requires a feature that the store does not have; the first call of
  /// ``RecordStore/apply(_:)``.
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` for bulk changes that the store does not make
  ///   itself, for expected versions and protected references if it keeps no versions, and for history
  ///   readers if it keeps no history.
  public func check(_ changes: StoreChanges) throws {
    if let change = changes.bulkChanges.first, capabilities.batchDelete != .native {
      throw DataStoreError(
        .unsupportedFeature,
        "the store does not support bulk changes; change the objects one by one",
        entity: change.query.entity
      )
    }
    if let row = changes.expectedVersions.keys.first, capabilities.versions != .native {
      throw DataStoreError(
        .unsupportedFeature,
        "the store keeps no versions of its rows; save without expected versions",
        entity: row.entityName
      )
    }
    if let reference = changes.protectedReferences.first, capabilities.versions != .native {
      throw DataStoreError(
        .unsupportedFeature,
        "the store keeps no versions of its rows; save without protected references",
        entity: reference.entity,
        property: reference.property
      )
    }
    if let reader = changes.readers.first, !capabilities.history.isSupported {
      throw DataStoreError(
        .unsupportedFeature,
        "the store keeps no history and cannot store the position of the reader \(reader.name)"
      )
    }
  }
}
