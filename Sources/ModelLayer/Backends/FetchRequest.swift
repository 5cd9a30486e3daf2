import StoreProtocol

/// A fetch as the program specified it, whatever the type of its objects.
protocol FetchRequest {
  /// Returns the store's snapshots for it, which may exceed the result and be in another order.
  ///
  /// A store that leaves filter or order to the layer above is asked again without them.
  func candidates<Store: DataStore>(from store: Store) throws -> [Store.Snapshot]
}

struct TypedFetchRequest<T: PersistentModel>: FetchRequest {
  let descriptor: FetchDescriptor<T>
  /// The context that fetches.
  let editingState: EditingState

  /// Requests the predicate, the order, and as many objects as the window can need.
  ///
  /// The offset is left out: if it is unknown whether a store applies it, the result could not be
  /// completed. Filter, order and limit can be applied twice.
  func candidates<Store: DataStore>(from store: Store) throws -> [Store.Snapshot] {
    var asked = descriptor
    asked.fetchOffset = nil
    asked.fetchLimit = descriptor.fetchLimit.flatMap { limit in
      let (sum, overflows) = max(0, limit).addingReportingOverflow(
        max(0, descriptor.fetchOffset ?? 0)
      )
      return overflows ? nil : sum
    }
    do {
      return try snapshots(asked, from: store)
    } catch DataStoreError.preferInMemorySort {
      asked.sortBy = []
      asked.fetchLimit = nil
    } catch DataStoreError.preferInMemoryFilter {
      return try snapshots(FetchDescriptor(), from: store)
    }
    do {
      return try snapshots(asked, from: store)
    } catch DataStoreError.preferInMemoryFilter {
      return try snapshots(FetchDescriptor(), from: store)
    }
  }

  private func snapshots<Store: DataStore>(
    _ descriptor: FetchDescriptor<T>,
    from store: Store
  ) throws -> [Store.Snapshot] {
    let request = DataStoreFetchRequest(descriptor: descriptor, editingState: editingState)
    return try store.fetch(request).fetchedSnapshots
  }
}
