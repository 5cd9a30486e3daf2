/// The features of a store, for programs, tools and the conformance suite.
public struct StoreCapabilities: Hashable, Sendable {
  /// The way in which a store supports a feature.
  public enum Support: Hashable, Sendable {
    /// The store implements it itself.
    case native
    /// The layer above implements it over the store's rows.
    case emulated
    /// It is not available, for the given reason.
    case unsupported(String)

    /// Whether the feature is available.
    package var isSupported: Bool {
      if case .unsupported = self { return false }
      return true
    }
  }

  /// The guarantee for a save that has returned.
  ///
  /// At every level a save is atomic for every reader and after a kill of the process. A save that
  /// threw anything except ``DataStoreError/outcomeUnknown`` never takes effect.
  ///
  /// | survives | `none` | `relaxed` | `full` |
  /// |---|---|---|---|
  /// | an end or a kill of the process | files do | yes | yes |
  /// | a loss of power | files may be torn | last saves may be lost, no other, none in part | yes |
  /// | syncs of a save, SQLite | 0 | 0 | 1, of the log |
  /// | syncs of a save, JSON | 0 | 0 | 1, of the journal |
  ///
  /// Further syncs occur at `relaxed` and `full`. A checkpoint of the log or the journal into the
  /// main file takes two. It occurs after every thousand pages, or when the journal exceeds the
  /// size of the document. The first save after a JSON store was opened takes two more, for the new
  /// journal and its name. A value in a separate file takes one, and a save with such values takes
  /// one for their names.
  public enum Durability: String, Codable, Hashable, Sendable, CaseIterable {
    /// No guarantee: for scratch data, and for in-memory stores, whose data exists as long as the
    /// process.
    case none
    /// A save survives a kill of the process; a loss of power may undo the last saves, but never
    /// tears one.
    case relaxed
    /// A save survives a loss of power.
    case full
  }

  /// Filtering by any predicate.
  public var filtering: Support
  /// Sorting by any sort descriptor.
  public var sorting: Support
  /// Unique values, where a second object becomes an update of the first.
  public var uniqueness: Support
  /// Deletion by predicate without loading objects.
  public var batchDelete: Support
  /// The changes since a token.
  public var history: Support
  /// Migration of older data to a newer schema.
  public var migration: Support
  /// Concurrent writes by several processes.
  public var concurrentProcesses: Support
  /// Versions of rows, by which a save detects an earlier save by another writer.
  public var versions: Support
  /// The guarantee for a save that has returned.
  public var durability: Durability
  /// Whether a server answers the requests, so that threads wait for the network.
  ///
  /// More background tasks then run at once, since their requests do not wait for each other.
  public var isRemote: Bool

  /// Creates a list of capabilities.
  public init(
    filtering: Support = .emulated,
    sorting: Support = .emulated,
    uniqueness: Support = .unsupported("the store does not check for equal values"),
    batchDelete: Support = .emulated,
    history: Support = .unsupported("the store keeps no history"),
    migration: Support = .unsupported("the store does not migrate"),
    concurrentProcesses: Support = .unsupported("the store belongs to one process"),
    versions: Support = .unsupported("the store keeps no versions of its rows"),
    durability: Durability = .none,
    isRemote: Bool = false
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
    self.isRemote = isRemote
  }
}
