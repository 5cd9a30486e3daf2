import StoreProtocol

/// The stores of a container, and the store of each entity.
struct ContainerStores: Sendable {
  /// The stores, in the order of the configurations.
  let all: [any RecordStore]
  /// The store of each entity.
  let byEntity: [String: any RecordStore]

  /// The stores as their configurations opened them, without adapters.
  var opened: [any DataStore] { all.map { ($0 as? any AdaptedStore)?.adapted ?? $0 } }
}
