import StoreProtocol

/// A store of SwiftData's protocol behind an adapter, which gets from contexts what that protocol
/// needs beyond plain values.
protocol AdaptedStore: RecordStore {
  /// The store itself, for code that knows its type.
  var adapted: any DataStore { get }

  /// Returns the store as it responds to one fetch of the program.
  func responding<T: PersistentModel>(
    to descriptor: FetchDescriptor<T>,
    _ editingState: EditingState
  ) -> any RecordStore

  /// Applies changes, all or nothing, with the objects of references, which snapshots may read.
  func apply(_ changes: StoreChanges, _ related: RelatedObjects) throws -> StoreChangesResult
}
