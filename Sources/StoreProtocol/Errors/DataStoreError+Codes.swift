extension DataStoreError.Code {
  /// The store lacks the feature; choose a store whose capabilities declare it.
  public static let unsupportedFeature = Self(rawValue: "unsupportedFeature")
  /// A store throws this to have the layer above filter its rows.
  public static let preferInMemoryFilter = Self(rawValue: "preferInMemoryFilter")
  /// A store throws this to have the layer above sort its rows.
  public static let preferInMemorySort = Self(rawValue: "preferInMemorySort")
  /// Nobody can answer the predicate; the message names the sub-expression.
  public static let invalidPredicate = Self(rawValue: "invalidPredicate")
  /// Nothing was saved; the changes are still pending and can be saved again.
  public static let notSaved = Self(rawValue: "notSaved")
  /// An error came after the point of no return; save again, which first asks the store what it has.
  public static let outcomeUnknown = Self(rawValue: "outcomeUnknown")
  /// Another process holds the store; try again later.
  public static let storeBusy = Self(rawValue: "storeBusy")
  /// The file is damaged and was left as it is; restore a backup.
  public static let storeDamaged = Self(rawValue: "storeDamaged")
  /// A newer version wrote the store; update this program.
  public static let storeTooNew = Self(rawValue: "storeTooNew")
  /// The file is not the one that was opened; open the store again.
  public static let storeReplaced = Self(rawValue: "storeReplaced")
  /// The file holds what this engine never writes; nothing was run from it.
  public static let storeNotTrusted = Self(rawValue: "storeNotTrusted")
  /// The store was opened for reading only.
  public static let storeReadOnly = Self(rawValue: "storeReadOnly")
  /// A close or the end of its process ended this store; open it again.
  public static let storeClosed = Self(rawValue: "storeClosed")
  /// The stored schema cannot be brought to the program's without a migration.
  public static let schemaMismatch = Self(rawValue: "schemaMismatch")
  /// A value does not fit its property.
  public static let invalidValue = Self(rawValue: "invalidValue")
  /// The configuration or the store's URL is not valid; the message lists what is.
  public static let invalidConfiguration = Self(rawValue: "invalidConfiguration")
  /// Two objects have the same unique values and cannot become one.
  public static let uniqueConflict = Self(rawValue: "uniqueConflict")
  /// A relationship with the delete rule `deny` still has objects; nothing was deleted.
  public static let deletionDenied = Self(rawValue: "deletionDenied")
  /// Another writer changed the object first; fetch it again.
  public static let conflict = Self(rawValue: "conflict")
  /// The system refused to read or write; the cause has its reason.
  public static let io = Self(rawValue: "io")
}
