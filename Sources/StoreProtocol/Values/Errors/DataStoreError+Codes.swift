extension DataStoreError.Code {
  /// The store lacks the feature; choose a store whose capabilities declare it.
  public static let unsupportedFeature = Self(rawValue: "unsupportedFeature")
  /// A store throws this error to let the layer above filter its rows.
  public static let preferInMemoryFilter = Self(rawValue: "preferInMemoryFilter")
  /// A store throws this error to let the layer above sort its rows.
  public static let preferInMemorySort = Self(rawValue: "preferInMemorySort")
  /// No store and no evaluator supports the predicate; the message names the sub-expression.
  public static let invalidPredicate = Self(rawValue: "invalidPredicate")
  /// Nothing was saved; the changes are still pending and can be saved again.
  public static let notSaved = Self(rawValue: "notSaved")
  /// An error occurred after the point of no return.
  ///
  /// Save again: the save first asks the store for the outcome.
  public static let outcomeUnknown = Self(rawValue: "outcomeUnknown")
  /// Another process has locked the store; try again later.
  public static let storeBusy = Self(rawValue: "storeBusy")
  /// The file is damaged and was not changed; restore a backup.
  public static let storeDamaged = Self(rawValue: "storeDamaged")
  /// A newer version wrote the store; update this program.
  public static let storeTooNew = Self(rawValue: "storeTooNew")
  /// The file is not the one that was opened; reopen the store.
  public static let storeReplaced = Self(rawValue: "storeReplaced")
  /// The file contains something that this engine never writes; nothing in it was executed.
  public static let storeNotTrusted = Self(rawValue: "storeNotTrusted")
  /// The store does not exist, and the configuration does not create it.
  public static let storeNotFound = Self(rawValue: "storeNotFound")
  /// The store was opened read-only.
  public static let storeReadOnly = Self(rawValue: "storeReadOnly")
  /// The store was closed, or its process ended; open it again.
  public static let storeClosed = Self(rawValue: "storeClosed")
  /// The stored schema cannot become the program's schema without a migration.
  public static let schemaMismatch = Self(rawValue: "schemaMismatch")
  /// A value does not fit its property.
  public static let invalidValue = Self(rawValue: "invalidValue")
  /// The configuration or the store's URL is invalid; the message lists what is valid.
  public static let invalidConfiguration = Self(rawValue: "invalidConfiguration")
  /// Two objects have the same unique values and cannot be merged.
  public static let uniqueConflict = Self(rawValue: "uniqueConflict")
  /// A relationship with the delete rule `deny` still has related objects; nothing was deleted.
  public static let deletionDenied = Self(rawValue: "deletionDenied")
  /// Another writer changed the object first; fetch it again.
  public static let conflict = Self(rawValue: "conflict")
  /// The system failed to read or write; the cause contains the reason.
  public static let io = Self(rawValue: "io")
}
