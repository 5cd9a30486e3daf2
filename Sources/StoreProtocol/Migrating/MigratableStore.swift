import Foundation

/// A store that can be migrated to another schema before it is opened with it.
///
/// A container with a migration plan first asks the store for a ``StoreMigration``. A store that
/// does not adopt this protocol receives the plan in its initializer. If the capabilities of such a
/// store do not include migration, its rows are rewritten through its own fetch and save.
public protocol MigratableStore: DataStore {
  /// Starts to migrate the store of a configuration, and prevents other saves until the migration
  /// ends.
  ///
  /// - Parameter configuration: The store's configuration; its schema, if any, is ignored.
  /// - Returns: The migration, or `nil` if there is no store yet or none that outlives its process.
  /// - Throws: The errors of opening; the store is then unchanged.
  static func beginMigration(of configuration: Configuration) throws -> (any StoreMigration)?
}

/// A store during a migration, which blocks other saves.
///
/// After any error, and after a kill of the process at any point, the store is intact. It is either
/// unchanged or has the result of ``changeStructure(through:progress:)`` or ``replaceByCopy()``.
public protocol StoreMigration: AnyObject {
  /// The current schema of the store.
  var schema: StoreSchema { get }

  /// Migrates the store from one schema to the next, with all changes or none.
  ///
  /// - Parameters:
  ///   - changes: The changes in order.
  ///   - progress: Called with the progress of each change, at zero rows and between batches of
  ///     rows.
  /// - Returns: A report of the migration.
  /// - Throws: ``DataStoreError/schemaMismatch`` with the violations, an error of `progress`, or
  ///   an error of a save; the store is unchanged then.
  /// - Complexity: O(*n*) in the rows of entities whose stored form changes.
  func changeStructure(
    through changes: [StructureChange],
    progress: @escaping StructureProgress
  ) throws -> StructureReport

  /// Returns the rows that prevent a change from the store's current schema.
  ///
  /// - Complexity: O(*n*) in the affected rows.
  func violations(of change: StructureChange) throws -> [SchemaViolation]

  /// Creates a private copy of the store beside it, which is removed when the migration ends.
  ///
  /// Saves in the copy need not be durable.
  ///
  /// - Returns: The configuration that opens the copy, without a schema.
  func makeCopy() throws -> any DataStoreConfiguration

  /// Replaces the store by its copy, atomically and durably.
  ///
  /// All stores of this process on the copy must be closed.
  func replaceByCopy() throws

  /// Writes a permanent copy of the store to an unused location.
  func backup(to url: URL) throws

  /// Allows other saves again and removes the copy.
  func end()
}
