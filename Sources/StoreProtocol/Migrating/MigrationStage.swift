/// One step of a migration, from a version of a schema to the next.
///
/// The layer above adds factories whose closures take a context.
public struct MigrationStage: Sendable {
  /// What a stage does besides changing the structure, with a layer's own context.
  public typealias Step = @Sendable (_ context: any AnyObject) throws -> Void
  /// What a stage does with the objects of both versions, with a layer's own contexts.
  public typealias PairStep =
    @Sendable (_ old: any AnyObject, _ new: any AnyObject) throws -> Void

  /// The version that the stage begins with.
  public let fromVersion: any VersionedSchema.Type
  /// The version that the stage ends with.
  public let toVersion: any VersionedSchema.Type
  /// What runs before the structure changes.
  public let willMigrate: Step?
  /// What runs after the structure changed, with the objects as they were beside those as they are.
  public let migrate: PairStep?
  /// What runs after the structure changed.
  public let didMigrate: Step?

  /// Creates a stage.
  public init(
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

  /// Whether code runs.
  package var hasCode: Bool { willMigrate != nil || fillsValues }

  /// Whether code runs that can give values to what the structure changed.
  package var fillsValues: Bool { migrate != nil || didMigrate != nil }
}
