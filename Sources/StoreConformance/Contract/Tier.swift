import StoreProtocol

/// A named part of the contract that a store fulfills completely or not at all.
///
/// ``StoreCapabilities`` determine the tiers that a store claims. Every store claims ``core``.
public enum Tier: String, CaseIterable, Codable, Sendable {
  /// Creating, opening and erasing; identifiers, values and atomic batches.
  case core
  /// Filters, sort orders, limits and offsets that the store evaluates itself.
  case query
  /// References, ordered relationships, and deletions without dangling references.
  case relationships
  /// Unique values, and new records that become updates of stored rows.
  case uniqueness
  /// Records of the changes of each save.
  case history
  /// Bulk changes.
  case batch
  /// Opening data with an older schema.
  case migration
  /// Threads, several handles, and detection of conflicting saves.
  case concurrency
  /// Saved data that survives reopening, whatever happens in between.
  case durability

  /// The name for headings.
  public var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

  /// Returns why a store does not claim the tier, or `nil` if it does.
  public func reasonForLeavingOut(_ capabilities: StoreCapabilities) -> String? {
    switch self {
    case .core, .relationships, .concurrency: nil
    case .query:
      capabilities.filtering == .native || capabilities.sorting == .native
        ? nil : "filtering and sorting are executed by the layer above"
    case .uniqueness: Capability.uniqueness.reasonForLack(in: capabilities)
    case .history: Capability.history.reasonForLack(in: capabilities)
    case .batch: Capability.batch.reasonForLack(in: capabilities)
    case .migration: Capability.migration.reasonForLack(in: capabilities)
    case .durability: Capability.durability.reasonForLack(in: capabilities)
    }
  }
}
