/// What a store can do, for programs, tools and the conformance suite alike.
public struct StoreCapabilities: Hashable, Sendable {
  /// How a store has a feature.
  public enum Support: Hashable, Sendable {
    /// The store does it itself.
    case native
    /// The layer above does it over the store's rows.
    case emulated
    /// It cannot be had, for this reason.
    case unsupported(String)

    /// Whether the feature can be had at all.
    public var isSupported: Bool {
      if case .unsupported = self { return false }
      return true
    }
  }

  /// What survives when a save returned.
  public enum Durability: String, Codable, Hashable, Sendable, CaseIterable {
    /// Nothing: the data lives as long as the process.
    case none
    /// A kill of the process; a loss of power may undo the last saves, never tear one.
    case relaxed
    /// A loss of power.
    case full
  }

  /// Filtering by any predicate.
  public var filtering: Support
  /// Sorting by any sort descriptor.
  public var sorting: Support
  /// Unique values, with a second object becoming an update of the first.
  public var uniqueness: Support
  /// Deleting by predicate without loading.
  public var batchDelete: Support
  /// Telling what changed since a token.
  public var history: Support
  /// Bringing older data to a newer schema.
  public var migration: Support
  /// Several processes that write at once.
  public var concurrentProcesses: Support
  /// Versions of rows, by which a save notices that another came first.
  public var versions: Support
  /// What survives when a save returned.
  public var durability: Durability

  /// Creates a list of capabilities.
  public init(
    filtering: Support = .emulated,
    sorting: Support = .emulated,
    uniqueness: Support = .unsupported("the store does not look for equal values"),
    batchDelete: Support = .emulated,
    history: Support = .unsupported("the store keeps no history"),
    migration: Support = .unsupported("the store does not migrate"),
    concurrentProcesses: Support = .unsupported("the store belongs to one process"),
    versions: Support = .unsupported("the store keeps no versions of its rows"),
    durability: Durability = .none
  ) {
    self.filtering = filtering
    self.sorting = sorting
    self.uniqueness = uniqueness
    self.batchDelete = batchDelete
    self.history = history
    self.migration = migration
    self.concurrentProcesses = concurrentProcesses
    self.versions = versions
    self.durability = durability
  }
}
