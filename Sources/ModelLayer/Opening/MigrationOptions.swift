import Foundation

/// Options of a migration besides its plan.
public struct MigrationOptions: Sendable {
  /// The folder for a copy of each store before its migration, or `nil` for no copy.
  ///
  /// A copy is named after its configuration and its version, such as `trips 1.0.0`; it can be
  /// opened like the store. It is not removed.
  public var backupFolder: URL?
  /// Called with the progress of the migration, on the thread that opens the container.
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

/// The progress of a migration.
public struct MigrationProgress: Hashable, Sendable {
  /// The name of the store's configuration.
  public let configuration: String
  /// The versions of the step, such as `1.0.0 → 2.0.0`.
  public let step: String
  /// The number of the step, starting at 1.
  public let number: Int
  /// The number of steps.
  public let count: Int
  /// The rows that the step has written so far.
  public let rows: Int
  /// The rows that it will write, as far as their number is known.
  public let totalRows: Int
  /// How much of all steps is done, from 0 to 1; never less than it was before.
  ///
  /// It is 1 once, when the store is migrated.
  public let fraction: Double
}
