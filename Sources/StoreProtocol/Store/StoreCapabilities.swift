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
  ///
  /// At every level a save is all or nothing for every reader and after a kill of the process, and a
  /// save that threw anything but ``DataStoreError/outcomeUnknown`` stays away.
  ///
  /// | survives | `none` | `relaxed` | `full` |
  /// |---|---|---|---|
  /// | an end or a kill of the process | files do | yes | yes |
  /// | a loss of power | the files may be torn | the last saves may be gone, no other and none in part | yes |
  /// | syncs of a save, SQLite | 0 | 0 | 1, of the log |
  /// | syncs of a save, JSON | 0 | 0 | 1, of the journal |
  ///
  /// Beyond that, at `relaxed` and `full`: bringing the log or the journal into the main file takes
  /// two syncs, after every thousand pages or when the journal has outgrown the document; the first
  /// save after a JSON store was opened takes two more, for the new journal and its name; a value in
  /// a file of its own takes one, and a save with such values one for their names.
  public enum Durability: String, Codable, Hashable, Sendable, CaseIterable {
    /// Nothing that a program could rely on: for scratch data, and for stores in memory, whose data
    /// lives as long as the process.
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
