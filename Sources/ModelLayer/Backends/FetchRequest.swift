import StoreProtocol

/// A fetch as the program said it, whatever the type of its objects.
protocol FetchRequest {
  /// What a store gives for it, which may be more than the answer and in another order.
  ///
  /// A store that leaves filter or order to the layer above is asked again without them.
  func candidates<Store: DataStore>(from store: Store) throws -> [Store.Snapshot]
}

/// A fetch of objects of one type.
struct TypedFetchRequest<T: PersistentModel>: FetchRequest {
  /// What is asked for.
  let descriptor: FetchDescriptor<T>
  /// The context that asks.
  let editingState: EditingState

  /// Asks for the predicate, the order, and as many objects as the window can need.
  ///
  /// The offset is left out: who did not know whether a store heeds it could not complete the answer,
  /// while filter, order and limit can be applied twice.
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
