import StoreProtocol

/// What a store must have declared for a rule to apply to it.
public indirect enum Capability: Hashable, Sendable {
  /// It filters itself.
  case nativeFiltering
  /// It sorts itself.
  case nativeSorting
  /// It keeps unique values unique.
  case uniqueness
  /// It keeps versions of its rows.
  case versions
  /// It makes changes of all rows that a query finds.
  case batch
  /// It tells what changed.
  case history
  /// It brings older data to a newer schema.
  case migration
  /// It can be open in several processes that write.
  case processes
  /// What it saved is there when it is opened again.
  case durability
  /// It does not declare another capability, and so has to refuse what that would give.
  case lacking(Capability)

  /// Whether a store with these capabilities has it.
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

  /// Why a store with these capabilities does not have it, nil where it does.
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
    case .lacking(let other): return "the store declares \(other.name), which other rules try"
    }
  }

  /// The word for it in reports.
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
    case .emulated: "\(name) is left to the layer above"
    case .unsupported(let reason): "no \(name): \(reason)"
    }
  }
}
