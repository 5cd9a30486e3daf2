extension DataStoreError {
  /// The store lacks the feature; choose a store whose capabilities declare it.
  public static let unsupportedFeature = DataStoreError(
    .unsupportedFeature,
    "the store does not have this feature"
  )
  /// A store throws this to have the layer above filter its rows.
  public static let preferInMemoryFilter = DataStoreError(
    .preferInMemoryFilter,
    "the store leaves this filter to the layer above"
  )
  /// A store throws this to have the layer above sort its rows.
  public static let preferInMemorySort = DataStoreError(
    .preferInMemorySort,
    "the store leaves this sort to the layer above"
  )
  /// Nobody can answer the predicate; the message names the sub-expression.
  public static let invalidPredicate = DataStoreError(
    .invalidPredicate,
    "the predicate cannot be answered"
  )
  /// Nothing was saved; the changes are still pending and can be saved again.
  public static let notSaved = DataStoreError(.notSaved, "nothing was saved")
  /// An error came after the point of no return; save again, which first asks the store what it has.
  public static let outcomeUnknown = DataStoreError(
    .outcomeUnknown,
    "the store cannot tell whether the changes were saved"
  )
  /// Another process holds the store; try again later.
  public static let storeBusy = DataStoreError(
    .storeBusy,
    "another process or connection holds the store"
  )
  /// The file is damaged and was left as it is; restore a backup.
  public static let storeDamaged = DataStoreError(.storeDamaged, "the store's file is damaged")
  /// A newer version wrote the store; update this program.
  public static let storeTooNew = DataStoreError(
    .storeTooNew,
    "the store was written by a newer version"
  )
  /// The file is not the one that was opened; open the store again.
  public static let storeReplaced = DataStoreError(
    .storeReplaced,
    "the store's file was replaced or removed while it was open"
  )
  /// The file holds what this engine never writes; nothing was run from it.
  public static let storeNotTrusted = DataStoreError(
    .storeNotTrusted,
    "the store's file holds what this engine never writes"
  )
  /// The store was opened for reading only.
  public static let storeReadOnly = DataStoreError(.storeReadOnly, "the store is read-only")
  /// A close or the end of its process ended this store; open it again.
  public static let storeClosed = DataStoreError(
    .storeClosed,
    "the store refuses work until it is opened again"
  )
  /// The stored schema cannot be brought to the program's without a migration.
  public static let schemaMismatch = DataStoreError(
    .schemaMismatch,
    "the store's schema differs from the program's"
  )
  /// A value does not fit its property.
  public static let invalidValue = DataStoreError(
    .invalidValue,
    "a value does not fit its property"
  )
  /// The configuration or the store's URL is not valid; the message lists what is.
  public static let invalidConfiguration = DataStoreError(
    .invalidConfiguration,
    "the configuration is not valid"
  )
  /// Two objects have the same unique values and cannot become one.
  public static let uniqueConflict = DataStoreError(
    .uniqueConflict,
    "two objects have the same unique values"
  )
  /// A relationship with the delete rule `deny` still has objects; nothing was deleted.
  public static let deletionDenied = DataStoreError(
    .deletionDenied,
    "a delete rule forbids the deletion"
  )
  /// Another writer changed the object first; fetch it again.
  public static let conflict = DataStoreError(.conflict, "another writer changed the same object")
  /// The system refused to read or write; the cause has its reason.
  public static let io = DataStoreError(.io, "the system refused to read or write")
}
