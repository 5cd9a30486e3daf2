import Foundation

/// What became of a save that a failure had left in doubt.
public enum SaveOutcome: Sendable {
  /// All of it is stored and as durable as any save, with what the store would have returned.
  case saved(StoreChangesResult)
  /// Nothing of it is stored, also not after a kill or a loss of power.
  case notSaved
}

extension RecordStore {
  /// Throws, for a store that can never tell.
  public func outcome(ofSave identifier: UUID) throws -> SaveOutcome {
    throw DataStoreError(
      .unsupportedFeature,
      "the store keeps no account of saves in doubt; reset the context and fetch"
    )
  }
}
