import StoreProtocol

extension MigrationStage {
  /// Creates a stage that runs code before and after the structure changes.
  ///
  /// Unsaved changes of the code are saved after it. If it throws, the store is unchanged. With
  /// `didMigrate`, properties whose type changed begin without their values, and new required ones
  /// with an empty value.
  ///
  /// - Parameters:
  ///   - fromVersion: The version that the stage begins with.
  ///   - toVersion: The version that the stage ends with.
  ///   - willMigrate: Called with a context on the old version.
  ///   - didMigrate: Called with a context on the new version.
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

  /// Creates a stage whose code has access to the objects of both versions.
  ///
  /// An object has the same `persistentModelID` in both contexts, so that either is found from the
  /// other. Inferable changes are made before the code runs.
  ///
  /// ```swift
  /// .custom(fromVersion: V1.self, toVersion: V2.self) { contexts in
  ///   for old in try contexts.old.fetch(FetchDescriptor<V1.Trip>()) {
  ///     let new = contexts.new.model(for: old.persistentModelID) as? V2.Trip
  ///     new?.days = Int(old.length) ?? 0
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - fromVersion: The version that the stage begins with.
  ///   - toVersion: The version that the stage ends with.
  ///   - migrate: The code; unsaved changes of the new objects are saved after it.
  /// - Returns: The stage.
  public static func custom(
    fromVersion: any VersionedSchema.Type,
    toVersion: any VersionedSchema.Type,
    migrate: @escaping @Sendable (_ contexts: MigrationContexts) throws -> Void
  ) -> MigrationStage {
    MigrationStage(
      fromVersion: fromVersion,
      toVersion: toVersion,
      willMigrate: nil,
      migrate: { old, new in
        guard let old = old as? ModelContext, let new = new as? ModelContext else {
          throw SwiftDataError.missingModelContext
        }
        try migrate(MigrationContexts(old: old, new: new))
      },
      didMigrate: nil
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

/// The objects of both versions in a stage of a migration.
public struct MigrationContexts {
  /// The earlier objects, on a copy from before the stage; its changes are never saved.
  public let old: ModelContext
  /// The migrated objects, after all inferable changes were made.
  public let new: ModelContext
}
