import ModelLayer
import PostgreSQLStore
import StoreProtocol

extension PostgreSQLDatabase {
  /// The progress of a migration of many stores.
  public struct MigrationProgress: Sendable {
    /// The store that was migrated last, or that failed.
    public let store: PostgreSQLStoreSummary
    /// The number of stores that are done, including those that failed.
    public let done: Int
    /// The number of stores.
    public let total: Int
  }

  /// The result of a migration of many stores.
  public struct MigrationReport: Sendable {
    /// The number of stores that had the models already.
    public fileprivate(set) var current = 0
    /// The number of stores that were migrated.
    public fileprivate(set) var migrated = 0
    /// The stores that could not be migrated, which are unchanged, and the reasons.
    public fileprivate(set) var failures: [(store: PostgreSQLStoreSummary, error: any Error)] = []
  }

  /// Migrates stores to the program's models, one after the other.
  ///
  /// A failure does not stop it. After an interruption, call it again: stores that have the models
  /// cost one or two round trips. Several processes can each migrate a part of the stores.
  ///
  /// - Parameters:
  ///   - stores: The stores, or `nil` for all.
  ///   - schema: The models.
  ///   - plan: The plan, or `nil` if the migration needs no code.
  ///   - progress: Called after each store.
  /// - Returns: The numbers of stores, and the failures. A store with newer models than the
  ///   program's fails with ``DataStoreError/storeTooNew``.
  /// - Throws: Errors of listing the stores; `CancellationError` between two stores.
  public func migrate(
    _ stores: [PostgreSQLStoreSummary]? = nil,
    to schema: Schema,
    plan: (any SchemaMigrationPlan.Type)? = nil,
    progress: (MigrationProgress) -> Void = { _ in }
  ) throws -> MigrationReport {
    let stores = try stores ?? self.stores()
    var report = MigrationReport()
    for (index, store) in stores.enumerated() {
      try Task.checkCancellation()
      do {
        if try migrate(store, to: schema, plan) {
          report.migrated += 1
        } else {
          report.current += 1
        }
      } catch {
        report.failures.append((store, error))
      }
      progress(MigrationProgress(store: store, done: index + 1, total: stores.count))
    }
    return report
  }

  /// Migrates a store, and returns whether that changed it.
  private func migrate(
    _ store: PostgreSQLStoreSummary,
    to schema: Schema,
    _ plan: (any SchemaMigrationPlan.Type)?
  ) throws -> Bool {
    let configuration = try configuration(ofStore: store.name)
    let schema = plan.map { schema.versioned(by: $0) } ?? schema
    if let version = Schema.Version(store.schemaVersion), version > schema.version {
      throw DataStoreError(
        .storeTooNew,
        "the store has version \(version) of the models, and the program \(schema.version); update "
          + "the program",
        file: configuration.name
      )
    }
    let container = try ModelContainer(
      for: schema,
      migrationPlan: plan,
      configurations: [configuration]
    )
    return container.stores.contains {
      ($0 as? PostgreSQLStore).map { $0.structure != store.structure } ?? false
    }
  }
}
