import ModelRuntime
import StoreProtocol

/// The effects of a migration on a store, determined on a copy.
public struct MigrationRehearsal: Sendable, CustomStringConvertible {
  /// One step of the plan.
  public struct Step: Sendable {
    /// The versions, such as `1.0.0 → 2.0.0`.
    public let title: String
    /// The difference between them.
    public let difference: SchemaDifference
    /// Whether the plan has code for the step, which ran on the copy.
    public let hasCode: Bool
    /// The statements that changed the structure, if the store uses statements.
    public let statements: [String]
    /// The rows that the change of the structure wrote.
    public let rowsWritten: Int
    /// The rows that it removed with their entities.
    public let rowsRemoved: Int
  }

  /// The steps that could be completed, in order; none if the store has the newest version.
  public let steps: [Step]
  /// The rows that prevent the step after the last of ``steps``.
  public let violations: [SchemaViolation]
  /// The other error that stopped the rehearsal there, as a program would get it.
  public let failure: (any Error)?

  /// A Boolean value that indicates whether the migration would succeed.
  public var succeeds: Bool { violations.isEmpty && failure == nil }

  /// The steps with their differences and counts, and the obstacles.
  public var description: String {
    var lines: [String] = []
    for step in steps {
      lines.append(
        "\(step.title): \(step.rowsWritten) rows written, \(step.rowsRemoved) removed"
          + (step.hasCode ? ", with code" : "")
      )
      lines += step.difference.steps.map { "  \($0)" }
      lines += step.statements.map { "  > \($0)" }
    }
    lines += violations.map { "violation: \($0)" }
    if let failure { lines.append("stopped by: \(failure)") }
    return lines.isEmpty ? "nothing to do" : lines.joined(separator: "\n")
  }
}

extension SchemaMigrationPlan {
  /// Performs a migration by the plan on a copy of a store, and removes the copy.
  ///
  /// The store itself is not changed; saves of others wait meanwhile.
  ///
  /// - Parameter configuration: The store; without a schema it is migrated to the plan's last
  ///   version.
  /// - Returns: The completed steps, up to the first obstacle.
  /// - Throws: Errors of opening and copying the store, `SwiftDataError.unknownSchema` and
  ///   `SwiftDataError.backwardMigration`, and `DataStoreError.unsupportedFeature` for a store that
  ///   cannot be copied.
  /// - Complexity: That of the migration, and of a copy.
  public static func rehearse(
    on configuration: any DataStoreConfiguration
  ) throws -> MigrationRehearsal {
    guard let kind = MigrationKind(of: configuration) else {
      throw DataStoreError(
        .unsupportedFeature,
        "the store of \(configuration.name) cannot copy itself for a rehearsal; adopt "
          + "MigratableStore or RewritableStore"
      )
    }
    guard let last = schemas.last else {
      throw SwiftDataError.loadIssueModelContainer.with("the plan has no schemas; name one")
    }
    let target =
      configuration.schema?.versioned(by: self) ?? Schema(versionedSchema: last)
    guard let migration = try kind.begin(configuration, false) else {
      throw DataStoreError(.io, "there is no store file to rehearse the migration on")
    }
    defer { migration.end() }
    let path = try MigrationPath(self, from: migration.schema, to: target.storeSchema)
    guard !path.steps.isEmpty else {
      return MigrationRehearsal(steps: [], violations: [], failure: nil)
    }
    let copy = try migration.makeCopy()
    var done: [MigrationRehearsal.Step] = []
    for step in path.steps {
      var violations: [SchemaViolation] = []
      do {
        let stage = StageRun(step: step, configuration: copy)
        let report = try stage.run(progress: { _, _ in try Task.checkCancellation() }) {
          violations = $0
        }
        done.append(MigrationRehearsal.Step(step, report))
      } catch {
        return MigrationRehearsal(
          steps: done,
          violations: violations,
          failure: violations.isEmpty ? error : nil
        )
      }
    }
    return MigrationRehearsal(steps: done, violations: [], failure: nil)
  }
}

extension MigrationRehearsal.Step {
  fileprivate init(_ step: MigrationPath.Step, _ report: StructureReport) {
    title = step.title
    difference = SchemaDifference(from: step.old, to: step.new)
    hasCode = step.hasCode
    statements = report.statements
    rowsWritten = report.rowsWritten
    rowsRemoved = report.rowsRemoved
  }
}
