import StoreProtocol

/// A capability that a store must declare for a rule to apply.
public indirect enum Capability: Hashable, Sendable {
  /// Filters are evaluated by the store.
  case nativeFiltering
  /// Sort orders are evaluated by the store.
  case nativeSorting
  /// Unique values are enforced.
  case uniqueness
  /// Rows have versions.
  case versions
  /// Bulk changes are executed by the store.
  case batch
  /// Saves are recorded in a history.
  case history
  /// Older data is migrated to a newer schema.
  case migration
  /// Several processes can open and write to the store.
  case processes
  /// Saved data survives reopening.
  case durability
  /// Another capability is not declared, so the store must throw for requests that need it.
  case lacking(Capability)

  /// Returns whether the declared capabilities include this one.
  public func isDeclared(by capabilities: StoreCapabilities) -> Bool {
    switch self {
    case .nativeFiltering, .nativeSorting, .versions, .batch:
      support(in: capabilities) == .native
    case .uniqueness, .history, .migration, .processes:
      support(in: capabilities)?.isSupported == true
    case .durability: capabilities.durability != .none
    case .lacking(let other): !other.isDeclared(by: capabilities)
    }
  }

  /// Returns why the declared capabilities lack this one, or `nil` if they include it.
  public func reasonForLack(in capabilities: StoreCapabilities) -> String? {
    guard !isDeclared(by: capabilities) else { return nil }
    switch self {
    case .durability: return "the store declares the durability none"
    case .lacking(let other): return "the store declares \(other.name), which other rules test"
    default: break
    }
    return switch support(in: capabilities) {
    case .native, nil: "the store declares \(name)"
    case .emulated: "\(name) is executed by the layer above"
    case .unsupported(let reason): "no \(name): \(reason)"
    }
  }

  /// The name of the capability in reports.
  public var name: String {
    switch self {
    case .nativeFiltering: "filtering"
    case .nativeSorting: "sorting"
    case .uniqueness: "uniqueness"
    case .versions: "versions"
    case .batch: "bulk changes"
    case .history: "history"
    case .migration: "migration"
    case .processes: "several processes"
    case .durability: "durability"
    case .lacking(let other): "no \(other.name)"
    }
  }

  private func support(in capabilities: StoreCapabilities) -> StoreCapabilities.Support? {
    switch self {
    case .nativeFiltering: capabilities.filtering
    case .nativeSorting: capabilities.sorting
    case .uniqueness: capabilities.uniqueness
    case .versions: capabilities.versions
    case .batch: capabilities.batchDelete
    case .history: capabilities.history
    case .migration: capabilities.migration
    case .processes: capabilities.concurrentProcesses
    case .durability, .lacking: nil
    }
  }
}
