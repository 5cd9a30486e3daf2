import Foundation

/// How a migration is done, beside its plan.
public struct MigrationOptions: Sendable {
  /// The folder that gets a copy of each store before it is migrated; nil for no copy.
  ///
  /// A copy is called after its configuration and the version that it has, as `trips 1.0.0`; it can
  /// be opened like the store. It is not removed.
  public var backupFolder: URL?
  /// Is told how far the migration has come, on the thread that opens the container.
  public var progress: (@Sendable (MigrationProgress) -> Void)?

  /// Creates options.
  public init(
    backupFolder: URL? = nil,
    progress: (@Sendable (MigrationProgress) -> Void)? = nil
  ) {
    self.backupFolder = backupFolder
    self.progress = progress
  }
}

/// How far a migration has come.
public struct MigrationProgress: Hashable, Sendable {
  /// The name of the store's configuration.
  public let configuration: String
  /// The versions of the step, as `1.0.0 → 2.0.0`.
  public let step: String
  /// The number of the step, from one on.
  public let number: Int
  /// The number of steps.
  public let count: Int
  /// The rows that the step has written so far.
  public let rows: Int
  /// The rows that it will write, as far as that is known.
  public let totalRows: Int
  /// How much of all steps is done, from 0 to 1; never less than it was before.
  ///
  /// It is 1 once, when the store is migrated.
  public let fraction: Double
}
