import StoreProtocol

/// What a store must have declared for a rule to apply to it.
public enum Capability: Hashable, Sendable {
  /// It filters itself.
  case nativeFiltering
  /// It leaves filtering to the layer above.
  case foreignFiltering
  /// It sorts itself.
  case nativeSorting
  /// It leaves sorting to the layer above.
  case foreignSorting
  /// It keeps unique values unique.
  case uniqueness
  /// It keeps versions of its rows.
  case versions
  /// It tells what its saves changed.
  case history
  /// What it saved is there when it is opened again.
  case durability

  /// Whether a store with these capabilities has it.
  public func isDeclared(by capabilities: StoreCapabilities) -> Bool {
    switch self {
    case .nativeFiltering: capabilities.filtering == .native
    case .foreignFiltering: capabilities.filtering != .native
    case .nativeSorting: capabilities.sorting == .native
    case .foreignSorting: capabilities.sorting != .native
    case .uniqueness: capabilities.uniqueness.isSupported
    case .versions: capabilities.versions == .native
    case .history: capabilities.history == .native
    case .durability: capabilities.durability != .none
    }
  }
}
