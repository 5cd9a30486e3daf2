import Foundation
import StoreProtocol

/// Brings the store of a configuration to the program's schema by a plan, before it is opened.
struct MigrationRunner {
  let plan: any SchemaMigrationPlan.Type
  var options = MigrationOptions()

  /// Migrates a store of a kind.
  ///
  /// Steps without code change the store itself, all in one save. Where a step has code, all of them
  /// run on a copy, which then takes the store's place at once.
  ///
  /// - Throws: What the plan, its code and the store throw, or `CancellationError`; the store is then
  ///   as it was.
  func run(
    _ kind: MigrationKind,
    _ configuration: any DataStoreConfiguration,
    to target: StoreSchema
  ) throws {
    guard let migration = try kind.begin(configuration, false) else { return }
    defer { migration.end() }
    let path = try MigrationPath(plan, from: migration.schema, to: target, file: nil)
    guard !path.steps.isEmpty else { return }
    try backUp(migration, configuration.name)
    guard path.steps.contains(where: \.hasCode) else {
      let name = configuration.name
      _ = try migration.changeStructure(through: path.steps.map(\.change)) { rows, total in
        try note(rows, total, path.steps, path.steps.count, name)
      }
      return
    }
    let copy = try migration.makeCopy()
    for number in path.steps.indices {
      let stage = StageRun(step: path.steps[number], configuration: copy)
      _ = try stage.run { rows, total in
        try note(rows, total, path.steps, number + 1, configuration.name)
      }
    }
    try Task.checkCancellation()
    try migration.replaceByCopy()
  }

  /// Tells how far it is, and stops where the task was cancelled.
  private func note(
    _ rows: Int,
    _ total: Int,
    _ steps: [MigrationPath.Step],
    _ number: Int,
    _ name: String
  ) throws {
    try Task.checkCancellation()
    options.progress?(
      MigrationProgress(
        configuration: name,
        step: steps[number - 1].title,
        number: number,
        count: steps.count,
        rows: rows,
        totalRows: total
      )
    )
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
