import StoreProtocol

/// A change of all objects that a query finds, which waits for the next save.
///
/// The store makes it then, without any object in memory. Where anything that it could concern is
/// looked at before, it is made object by object instead, as if that had been done at once.
final class PendingBulkChange {
  /// The store of the objects.
  let backend: any StoreBackend
  /// What the store is to do.
  let change: BulkChange
  /// The same over objects.
  let perform: (ContextState) throws -> Void

  init(
    _ change: BulkChange,
    on backend: any StoreBackend,
    otherwise perform: @escaping (ContextState) throws -> Void
  ) {
    self.backend = backend
    self.change = change
    self.perform = perform
  }
}
