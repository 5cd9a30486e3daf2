import StoreProtocol

/// A part of the contract that a store keeps as a whole, so that it can be named in one word.
///
/// A store may stop anywhere: which tiers it claims follows from ``StoreCapabilities``, and every
/// store claims ``core``.
public enum Tier: String, CaseIterable, Codable, Sendable {
  /// Making, opening and erasing; identifiers, values and whole batches.
  case core
  /// Filters, orders and windows that the store answers itself.
  case query
  /// References, members in order, and deletions that leave nothing dangling.
  case relationships
  /// Unique values, and new records that become updates of stored rows.
  case uniqueness
  /// Telling what changed, save by save.
  case history
  /// Changes of all rows that a query finds.
  case batch
  /// Opening data that was stored with an older schema.
  case migration
  /// Many threads, several handles, and saves that notice each other.
  case concurrency
  /// What was saved is there when the store is opened again, whatever happened in between.
  case durability

  /// The name as headings have it.
  public var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

  /// Why a store does not claim the tier, nil where it does.
  public func reasonForLeavingOut(_ capabilities: StoreCapabilities) -> String? {
    switch self {
    case .core, .relationships, .concurrency: nil
    case .query:
      capabilities.filtering == .native || capabilities.sorting == .native
        ? nil : "filtering and sorting are left to the layer above"
    case .uniqueness: Capability.uniqueness.reasonForLack(in: capabilities)
    case .history: Capability.history.reasonForLack(in: capabilities)
    case .batch: Capability.batch.reasonForLack(in: capabilities)
    case .migration: Capability.migration.reasonForLack(in: capabilities)
    case .durability: Capability.durability.reasonForLack(in: capabilities)
    }
  }
}
