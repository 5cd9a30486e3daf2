import Foundation

/// The outcome of a save that was indeterminate after a failure.
public enum SaveOutcome: Sendable {
  /// All of the save is stored, as durably as any save; the value is its result.
  case saved(StoreChangesResult)
  /// Nothing of the save is stored, even after a kill or a loss of power.
  case notSaved
}

extension RecordStore {
  /// Always throws, because the store can never determine the outcome.
  public func outcome(ofSave identifier: UUID) throws -> SaveOutcome {
    throw DataStoreError(
      .unsupportedFeature,
      "the store cannot determine the outcome of an interrupted save; reset the context and fetch"
    )
  }
}
