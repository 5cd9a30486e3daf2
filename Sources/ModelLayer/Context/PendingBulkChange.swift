import StoreProtocol

/// A change of all objects of a query, which waits for the next save.
///
/// The store then applies it without any object in memory. If objects that it could concern are
/// read before, it is applied object by object instead, as if that had been done at once.
struct PendingBulkChange {
  let backend: any StoreBackend
  let change: BulkChange
  /// Applies the change to objects.
  let perform: (ContextState) throws -> Void
}
