import StoreProtocol

extension DataStore {
  /// Returns the store's snapshots for a fetch, which may exceed the result and be in another order.
  ///
  /// It requests the predicate, the order, and as many objects as the window can need. A store that
  /// leaves filter or order to the layer above is asked again without them. The offset is left out:
  /// if it is unknown whether a store applies it, the result could not be completed. Filter, order
  /// and limit can be applied twice.
  func candidates<T: PersistentModel>(
    of descriptor: FetchDescriptor<T>,
    _ editingState: EditingState
  ) throws -> [Snapshot] {
    var asked = descriptor
    asked.fetchOffset = nil
    asked.fetchLimit = descriptor.fetchLimit.flatMap { limit in
      let (sum, overflows) = max(0, limit).addingReportingOverflow(
        max(0, descriptor.fetchOffset ?? 0)
      )
      return overflows ? nil : sum
    }
    do {
      return try snapshots(asked, editingState)
    } catch DataStoreError.preferInMemorySort {
      asked.sortBy = []
      asked.fetchLimit = nil
    } catch DataStoreError.preferInMemoryFilter {
      return try snapshots(FetchDescriptor<T>(), editingState)
    }
    do {
      return try snapshots(asked, editingState)
    } catch DataStoreError.preferInMemoryFilter {
      return try snapshots(FetchDescriptor<T>(), editingState)
    }
  }

  private func snapshots<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    _ editingState: EditingState
  ) throws -> [Snapshot] {
    let request = DataStoreFetchRequest(descriptor: descriptor, editingState: editingState)
    return try fetch(request).fetchedSnapshots
  }
}
