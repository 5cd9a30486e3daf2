/// One step of a migration, from a version of a schema to the next.
///
/// The layer above adds factories whose closures take a context.
public struct MigrationStage: Sendable {
  /// A closure that a stage runs with the context of a layer.
  package typealias Step = @Sendable (_ context: any AnyObject) throws -> Void
  /// A closure that a stage runs with the objects of both versions, with the contexts of a layer.
  package typealias PairStep =
    @Sendable (_ old: any AnyObject, _ new: any AnyObject) throws -> Void

  /// The version before the stage.
  package let fromVersion: any VersionedSchema.Type
  /// The version after the stage.
  package let toVersion: any VersionedSchema.Type
  /// The code that runs before the structure changes.
  package let willMigrate: Step?
  /// The code that runs after the structure changed, with the old and the new objects.
  package let migrate: PairStep?
  /// The code that runs after the structure changed.
  package let didMigrate: Step?

  package init(
    fromVersion: any VersionedSchema.Type,
    toVersion: any VersionedSchema.Type,
    willMigrate: Step?,
    migrate: PairStep? = nil,
    didMigrate: Step?
  ) {
    self.fromVersion = fromVersion
    self.toVersion = toVersion
    self.willMigrate = willMigrate
    self.migrate = migrate
    self.didMigrate = didMigrate
  }

  /// Creates a stage that needs no code.
  public static func lightweight(
    fromVersion: any VersionedSchema.Type,
    toVersion: any VersionedSchema.Type
  ) -> MigrationStage {
    MigrationStage(
      fromVersion: fromVersion,
      toVersion: toVersion,
      willMigrate: nil,
      didMigrate: nil
    )
  }

  /// Whether the stage runs code.
  package var hasCode: Bool { willMigrate != nil || fillsValues }

  /// Whether the stage runs code that can set values after the structure changed.
  package var fillsValues: Bool { migrate != nil || didMigrate != nil }
}
