import Foundation

/// A store that can be brought to another schema before it is opened with it.
///
/// A container with a migration plan asks it for a ``StoreMigration`` first. A store that does not
/// adopt this protocol gets the plan in its initialiser, and where its capabilities say that it does
/// not migrate, its rows are rewritten through its own fetch and save.
public protocol MigratableStore: DataStore {
  /// Begins to migrate the store of a configuration, and keeps all others from saving until the
  /// migration ends.
  ///
  /// - Parameter configuration: The store; its schema, if it has one, counts for nothing.
  /// - Returns: The migration, nil where there is no store yet or none that outlives its process.
  /// - Throws: What opening throws; the store is then as it was.
  static func beginMigration(of configuration: Configuration) throws -> (any StoreMigration)?
}

/// A store that is being migrated: nobody else saves to it.
///
/// Whatever is thrown, and wherever the process is killed, the store is whole, as it was or as
/// ``changeStructure(through:progress:)`` and ``replaceByCopy()`` leave it.
public protocol StoreMigration: AnyObject {
  /// The schema that the store has now.
  var schema: StoreSchema { get }

  /// Brings the store from one schema to the next, all changes or none.
  ///
  /// - Parameters:
  ///   - changes: The changes in order.
  ///   - progress: Is told how far the change has come, from zero rows of each change on and between
  ///     batches of rows.
  /// - Returns: What was done.
  /// - Throws: ``DataStoreError/schemaMismatch`` with what stands in the way, what `progress`
  ///   throws, or what a save throws; nothing is changed then.
  /// - Complexity: O(*n*) in the rows of entities whose stored form changes.
  func changeStructure(
    through changes: [StructureChange],
    progress: @escaping StructureProgress
  ) throws -> StructureReport

  /// What rows stand in the way of a change from the schema that the store has now.
  ///
  /// - Complexity: O(*n*) in the rows concerned.
  func violations(of change: StructureChange) throws -> [SchemaViolation]

  /// Makes a copy of the store beside it, which nobody else knows, and which is gone when the
  /// migration ends.
  ///
  /// Saves in the copy need not be durable.
  ///
  /// - Returns: The configuration that opens the copy, without a schema.
  func makeCopy() throws -> any DataStoreConfiguration

  /// Makes the store what its copy is: at once, and on the medium when this returns.
  ///
  /// All stores of this process on the copy must be closed.
  func replaceByCopy() throws

  /// Writes a copy of the store to a place where there is nothing, for good.
  func backup(to url: URL) throws

  /// Lets others save again and removes the copy.
  func end()
}
