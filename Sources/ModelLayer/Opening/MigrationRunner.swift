import Foundation
import ModelRuntime
import StoreProtocol

/// Migrates the store of a configuration to the program's schema by a plan, before it is opened.
struct MigrationRunner {
  let plan: any SchemaMigrationPlan.Type
  var options = MigrationOptions()

  /// Migrates a store of a kind.
  ///
  /// Steps without code change the store itself, all in one save. If a step has code, all of them
  /// run on a copy, which then replaces the store at once.
  ///
  /// - Throws: Errors of the plan, its code and the store, or `CancellationError`; the store is
  ///   then unchanged.
  func run(
    _ kind: MigrationKind,
    _ configuration: any DataStoreConfiguration,
    to target: StoreSchema
  ) throws {
    guard let migration = try kind.begin(configuration, false) else { return }
    defer { migration.end() }
    let path = try MigrationPath(plan, from: migration.schema, to: target)
    guard !path.steps.isEmpty else { return }
    try backUp(migration, configuration.name)
    let report = ProgressReport(path.steps.map(\.title), configuration.name, options.progress)
    guard path.steps.contains(where: \.hasCode) else {
      _ = try migration.changeStructure(through: path.steps.map(\.change)) { rows, total in
        try report.note(rows, of: total)
      }
      return report.finish()
    }
    let copy = try migration.makeCopy()
    for step in path.steps {
      _ = try StageRun(step: step, configuration: copy).run { rows, total in
        try report.note(rows, of: total)
      }
      report.endStep()
    }
    try Task.checkCancellation()
    try migration.replaceByCopy()
    report.finish()
  }

  private func backUp(_ migration: any StoreMigration, _ name: String) throws {
    guard let folder = options.backupFolder else { return }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let base = "\(name) \(migration.schema.version)"
    var candidate = base
    var number = 2
    while FileManager.default.fileExists(atPath: folder.appending(path: candidate).path) {
      candidate = "\(base) (\(number))"
      number += 1
    }
    try migration.backup(to: folder.appending(path: candidate))
  }
}

/// Reports how far a migration has come: never less than before, and never the same twice.
private final class ProgressReport {
  private let steps: [String]
  private let configuration: String
  private let report: (@Sendable (MigrationProgress) -> Void)?
  private var number = 1
  private var rows = 0
  private var totalRows = 0
  private var last: MigrationProgress?

  init(
    _ steps: [String],
    _ configuration: String,
    _ report: (@Sendable (MigrationProgress) -> Void)?
  ) {
    (self.steps, self.configuration, self.report) = (steps, configuration, report)
  }

  /// Notes the rows that the store has written; fewer than before are those of the next step.
  ///
  /// - Throws: `CancellationError` if the task is canceled.
  func note(_ rows: Int, of total: Int) throws {
    try Task.checkCancellation()
    if rows < self.rows { endStep() }
    self.rows = max(self.rows, rows)
    totalRows = max(totalRows, total)
    // Indexes, code and the commit follow the rows of a step: only its end makes it whole.
    let part = Double(min(self.rows, totalRows)) / Double(totalRows + 1)
    report(fraction: (Double(number - 1) + part) / Double(steps.count))
  }

  /// Continues with the next step, if there is one.
  func endStep() {
    guard number < steps.count else { return }
    (number, rows, totalRows) = (number + 1, 0, 0)
  }

  /// Reports the end of all steps.
  func finish() {
    number = steps.count
    report(fraction: 1)
  }

  private func report(fraction: Double) {
    let progress = MigrationProgress(
      configuration: configuration,
      step: steps[number - 1],
      number: number,
      count: steps.count,
      rows: rows,
      totalRows: totalRows,
      fraction: max(fraction, last?.fraction ?? 0)
    )
    guard progress != last else { return }
    last = progress
    report?(progress)
  }
}
