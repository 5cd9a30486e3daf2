/// The stores of a container, and the store of each entity.
struct Backends: Sendable {
  /// The stores, in the order of the configurations.
  let all: [any StoreBackend]
  private let byEntity: [String: any StoreBackend]

  /// Creates the list of opened stores.
  init(all: [any StoreBackend], byEntity: [String: any StoreBackend]) {
    self.all = all
    self.byEntity = byEntity
  }

  func backend(for entity: String) -> (any StoreBackend)? { byEntity[entity] }
}
