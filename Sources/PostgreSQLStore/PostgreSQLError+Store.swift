import PostgreSQLClient
import StoreProtocol

extension PostgreSQLError {
  /// Returns the error of a store, or of one of its saves, of which nothing is stored.
  func storeError(at location: String, isSaving: Bool = false) -> DataStoreError {
    if isSaving, isFailedCheck { return .discardedChanges(location, self) }
    let translated: DataStoreError =
      switch kind {
      case .outcomeUnknown: .outcomeUnknown
      case .libraryMissing, .invalidConfiguration: .invalidConfiguration
      case .serializationFailure, .lockTimeout: .storeBusy
      case .permissionDenied, .readOnly: .storeReadOnly
      case .invalidValue, .limitExceeded: .invalidValue
      case .uniqueViolation: .conflict
      case .undefinedObject, .invalidResponse: .storeDamaged
      case .inherited: .storeClosed
      default: isSaving ? .notSaved : .io
      }
    return DataStoreError(translated, "\(location): \(self)", cause: self)
  }
}
