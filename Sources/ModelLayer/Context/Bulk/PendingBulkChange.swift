import StoreProtocol

/// A change of all objects of a query, which waits for the next save.
///
/// It concerns the objects that matched when the program made it, like a change of objects. The
/// store then applies it without any object in memory. If objects that it could concern are read
/// before, it is applied object by object instead, as if that had been done at once.
struct PendingBulkChange {
  let store: any RecordStore
  /// The rows that matched.
  let rows: [PersistentIdentifier]
  let effect: BulkEffect
  /// Applies the change to objects of ``rows``, and returns the rows without an object.
  let perform: (ContextState) throws -> [PersistentIdentifier]

  /// Whether the change deletes the rows.
  var isDeletion: Bool {
    if case .change(.delete) = effect { return true }
    return false
  }
}
