import PostgreSQLClient
import StoreProtocol

extension PostgreSQLError {
  /// The error as that of a store at a place, or of a save of it, of which nothing is stored then.
  func storeError(at place: String, isSaving: Bool = false) -> DataStoreError {
    let code: DataStoreError.Code =
      switch kind {
      case .outcomeUnknown: .outcomeUnknown
      case .libraryMissing, .invalidConfiguration: .invalidConfiguration
      case .serializationFailure, .lockTimeout: .storeBusy
      case .permissionDenied, .readOnly: .storeReadOnly
      case .invalidValue, .limitExceeded: .invalidValue
      case .uniqueViolation: .conflict
      case .undefinedObject, .invalidResponse: .storeDamaged
      default: isSaving ? .notSaved : .io
      }
    return DataStoreError(code, "\(place): \(self)", cause: self)
  }
}
