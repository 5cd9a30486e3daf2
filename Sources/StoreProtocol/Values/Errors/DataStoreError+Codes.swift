extension DataStoreError {
  /// The store lacks the feature; choose a store whose capabilities declare it.
  public static let unsupportedFeature = DataStoreError(
    "unsupportedFeature",
    "the store does not have this feature"
  )
  /// A store throws this error to let the layer above filter its rows.
  public static let preferInMemoryFilter = DataStoreError(
    "preferInMemoryFilter",
    "the store cannot evaluate this filter"
  )
  /// A store throws this error to let the layer above sort its rows.
  public static let preferInMemorySort = DataStoreError(
    "preferInMemorySort",
    "the store cannot evaluate this sort order"
  )
  /// No store and no evaluator supports the predicate; the message names the sub-expression.
  public static let invalidPredicate = DataStoreError(
    "invalidPredicate",
    "the predicate cannot be evaluated"
  )
  /// Nothing was saved; the changes are still pending and can be saved again.
  public static let notSaved = DataStoreError("notSaved", "nothing was saved")
  /// An error occurred after the point of no return.
  ///
  /// Save again: the save first asks the store for the outcome.
  public static let outcomeUnknown = DataStoreError(
    "outcomeUnknown",
    "the store cannot tell whether the changes were saved"
  )
  /// Another process has locked the store; try again later.
  public static let storeBusy = DataStoreError(
    "storeBusy",
    "another process or connection has the store locked"
  )
  /// The file is damaged and was not changed; restore a backup.
  public static let storeDamaged = DataStoreError("storeDamaged", "the store's file is damaged")
  /// A newer version wrote the store; update this program.
  public static let storeTooNew = DataStoreError(
    "storeTooNew",
    "the store was written by a newer version"
  )
  /// The file is not the one that was opened; reopen the store.
  public static let storeReplaced = DataStoreError(
    "storeReplaced",
    "the store's file was replaced or removed while it was open"
  )
  /// The file contains something that this engine never writes; nothing in it was executed.
  public static let storeNotTrusted = DataStoreError(
    "storeNotTrusted",
    "the store's file has content that this engine never writes"
  )
  /// The store does not exist, and the configuration does not create it.
  public static let storeNotFound = DataStoreError("storeNotFound", "the store does not exist")
  /// The store was opened read-only.
  public static let storeReadOnly = DataStoreError("storeReadOnly", "the store is read-only")
  /// The store was closed, or its process ended; open it again.
  public static let storeClosed = DataStoreError(
    "storeClosed",
    "the store must be opened again before it is used"
  )
  /// The stored schema cannot become the program's schema without a migration.
  public static let schemaMismatch = DataStoreError(
    "schemaMismatch",
    "the store's schema differs from the program's"
  )
  /// A value does not fit its property.
  public static let invalidValue = DataStoreError(
    "invalidValue",
    "a value does not fit its property"
  )
  /// The configuration or the store's URL is invalid; the message lists what is valid.
  public static let invalidConfiguration = DataStoreError(
    "invalidConfiguration",
    "the configuration is not valid"
  )
  /// Two objects have the same unique values and cannot be merged.
  public static let uniqueConflict = DataStoreError(
    "uniqueConflict",
    "two objects have the same unique values"
  )
  /// A relationship with the delete rule `deny` still has related objects; nothing was deleted.
  public static let deletionDenied = DataStoreError(
    "deletionDenied",
    "a delete rule forbids the deletion"
  )
  /// Another writer changed the object first; fetch it again.
  public static let conflict = DataStoreError("conflict", "another writer changed the same object")
  /// The system failed to read or write; the cause contains the reason.
  public static let io = DataStoreError("io", "the system refused to read or write")
}
