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
    case .nativeFiltering: capabilities.filtering == .native
    case .nativeSorting: capabilities.sorting == .native
    case .uniqueness: capabilities.uniqueness.isSupported
    case .versions: capabilities.versions == .native
    case .batch: capabilities.batchDelete == .native
    case .history: capabilities.history.isSupported
    case .migration: capabilities.migration.isSupported
    case .processes: capabilities.concurrentProcesses.isSupported
    case .durability: capabilities.durability != .none
    case .lacking(let other): !other.isDeclared(by: capabilities)
    }
  }

  /// Returns why the declared capabilities lack this one, or `nil` if they include it.
  public func reasonForLack(in capabilities: StoreCapabilities) -> String? {
    guard !isDeclared(by: capabilities) else { return nil }
    switch self {
    case .nativeFiltering: return Self.reason("filtering", capabilities.filtering)
    case .nativeSorting: return Self.reason("sorting", capabilities.sorting)
    case .uniqueness: return Self.reason("uniqueness", capabilities.uniqueness)
    case .versions: return Self.reason("versions", capabilities.versions)
    case .batch: return Self.reason("batch delete", capabilities.batchDelete)
    case .history: return Self.reason("history", capabilities.history)
    case .migration: return Self.reason("migration", capabilities.migration)
    case .processes:
      return Self.reason("several processes", capabilities.concurrentProcesses)
    case .durability: return "the store declares the durability none"
    case .lacking(let other): return "the store declares \(other.name), which other rules test"
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

  private static func reason(_ name: String, _ support: StoreCapabilities.Support) -> String {
    switch support {
    case .native: "the store declares \(name)"
    case .emulated: "\(name) is executed by the layer above"
    case .unsupported(let reason): "no \(name): \(reason)"
    }
  }
}
