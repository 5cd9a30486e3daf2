import StoreProtocol

extension MigrationStage {
  /// Creates a stage that runs code before and after the structure changes.
  ///
  /// - Parameters:
  ///   - fromVersion: The version that the stage begins with.
  ///   - toVersion: The version that the stage ends with.
  ///   - willMigrate: What to do with a context on the old version.
  ///   - didMigrate: What to do with a context on the new version.
  /// - Returns: The stage.
  public static func custom(
    fromVersion: any VersionedSchema.Type,
    toVersion: any VersionedSchema.Type,
    willMigrate: (@Sendable (_ context: ModelContext) throws -> Void)?,
    didMigrate: (@Sendable (_ context: ModelContext) throws -> Void)?
  ) -> MigrationStage {
    MigrationStage(
      fromVersion: fromVersion,
      toVersion: toVersion,
      willMigrate: willMigrate.map(step),
      didMigrate: didMigrate.map(step)
    )
  }

  private static func step(
    _ body: @escaping @Sendable (ModelContext) throws -> Void
  ) -> Step {
    { context in
      guard let context = context as? ModelContext else { throw SwiftDataError.missingModelContext }
      try body(context)
    }
  }
}
