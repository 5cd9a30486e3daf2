extension SwiftDataError {
  /// A batched fetch includes pending changes while there are some.
  public static let includePendingChangesWithBatchSize = SwiftDataError(
    "includePendingChangesWithBatchSize",
    "a batched fetch cannot take pending changes into account: save first or set "
      + "includePendingChanges to false"
  )
  /// The predicate cannot be translated or evaluated.
  public static let unsupportedPredicate = SwiftDataError(
    "unsupportedPredicate",
    "the predicate cannot be evaluated"
  )
  /// The key path does not refer to a persisted property.
  public static let unsupportedKeyPath = SwiftDataError(
    "unsupportedKeyPath",
    "the key path is not a persisted property"
  )
  /// The sort descriptor does not refer to a comparable persisted property.
  public static let unsupportedSortDescriptor = SwiftDataError(
    "unsupportedSortDescriptor",
    "the sort descriptor cannot be evaluated"
  )
  /// Identifiers cannot be sorted while changes are pending.
  public static let sortingPendingChangesWithIdentifiers = SwiftDataError(
    "sortingPendingChangesWithIdentifiers",
    "identifiers cannot be sorted with pending changes"
  )
  /// Two configurations of a container name the same store.
  public static let duplicateConfiguration = SwiftDataError(
    "duplicateConfiguration",
    "two configurations name the same store"
  )
  /// The configuration's file name is too long.
  public static let configurationFileNameTooLong = SwiftDataError(
    "configurationFileNameTooLong",
    "the configuration's file name is too long"
  )
  /// The configuration's file name contains invalid characters.
  public static let configurationFileNameContainsInvalidCharacters = SwiftDataError(
    "configurationFileNameContainsInvalidCharacters",
    "the configuration's file name has characters that a file name cannot have"
  )
  /// A configuration names a model that the container's schema lacks.
  public static let configurationSchemaNotFoundInContainerSchema = SwiftDataError(
    "configurationSchemaNotFoundInContainerSchema",
    "a configuration names a model that the container's schema lacks"
  )
  /// The store could not be opened or migrated; the cause says why.
  public static let loadIssueModelContainer = SwiftDataError(
    "loadIssueModelContainer",
    "the container's store could not be opened"
  )
  /// A model violates its schema; the message names the object and the property.
  public static let modelValidationFailure = SwiftDataError(
    "modelValidationFailure",
    "a model does not satisfy its schema"
  )
  /// The operation needs a model that belongs to a context.
  public static let missingModelContext = SwiftDataError(
    "missingModelContext",
    "the model belongs to no context"
  )
  /// The store is newer than the program's schema.
  public static let backwardMigration = SwiftDataError(
    "backwardMigration",
    "the store is newer than the schema"
  )
  /// The store's schema is not one of the migration plan's.
  public static let unknownSchema = SwiftDataError(
    "unknownSchema",
    "the store's schema is not in the migration plan"
  )
  /// The store's schema is missing or cannot be read.
  ///
  /// It is the cause of a ``DataStoreError/storeDamaged``, and matches it in a `catch`.
  public static let unknownDataStoreSchema = SwiftDataError(
    "unknownDataStoreSchema",
    "the store's schema is unknown"
  )
  /// The token refers to history that was deleted.
  public static let historyTokenExpired = SwiftDataError(
    "historyTokenExpired",
    "the history before this token was deleted"
  )
  /// The token belongs to another history: a backup was restored, the file was exchanged, or a
  /// replica that lacks saves took over.
  public static let historyTokenDiverged = SwiftDataError(
    "historyTokenDiverged",
    "the token has seen a save that the store does not have"
  )
  /// The history descriptor is not supported.
  public static let invalidTransactionFetchRequest = SwiftDataError(
    "invalidTransactionFetchRequest",
    "the history request cannot be evaluated"
  )
}
