/// The stores of a container, and the store of each entity.
struct Backends: Sendable {
  /// The stores, in the order of the configurations.
  let all: [any StoreBackend]
  /// The store of each entity.
  let byEntity: [String: any StoreBackend]
}
