import Foundation
import StoreProtocol

/// The migration of a store whose rows are rewritten by its own fetch and save.
final class RewritingMigration<Store: RewritableStore>: StoreMigration {
  private let configuration: Store.Configuration
  private var locations: [Store.Configuration] = []
  private var copy: Store.Configuration?
  private let isCopy: Bool
  private let firstNumber: Int
  private(set) var schema: StoreSchema

  /// Begins the migration, or returns `nil` if there is no store.
  init?(_ configuration: Store.Configuration, isCopy: Bool) throws {
    guard let schema = try Store.storedSchema(of: configuration) else { return nil }
    self.configuration = configuration
    self.schema = schema
    self.isCopy = isCopy
    firstNumber = Int.random(in: 1...Int(Int32.max))
  }

  private func makeLocation() throws -> Store.Configuration {
    let location = try Store.emptyLocation(
      for: configuration,
      number: firstNumber + locations.count
    )
    locations.append(location)
    return location
  }

  private func rewriting(
    _ change: StructureChange,
    from location: Store.Configuration,
    having schema: StoreSchema
  ) throws -> RowRewriting {
    let difference = SchemaDifference(from: schema, to: change.schema)
    if !change.leavesValuesToCode { try difference.requireLightweight(file: nil) }
    return RowRewriting(
      source: try Self.core(location, schema),
      difference: difference,
      change: change
    )
  }

  private static func core(
    _ configuration: Store.Configuration,
    _ schema: StoreSchema
  ) throws -> ContainerCore {
    var configuration = configuration
    configuration.schema = nil
    return try ContainerCore(opening: [configuration], for: Schema(storeSchema: schema))
  }

  func changeStructure(
    through changes: [StructureChange],
    progress: @escaping StructureProgress
  ) throws -> StructureReport {
    var report = StructureReport()
    var current = configuration
    var schema = schema
    for change in changes {
      let location = try makeLocation()
      var rewriting = try rewriting(change, from: current, having: schema)
      let target = try Self.core(location, change.schema)
      try rewriting.run(to: target, progress: progress)
      report.rowsWritten += rewriting.written
      report.rowsRemoved += rewriting.removed
      (current, schema) = (location, change.schema)
    }
    if !changes.isEmpty { try Store.replace(configuration, by: current) }
    self.schema = schema
    return report
  }

  func violations(of change: StructureChange) throws -> [SchemaViolation] {
    try rewriting(change, from: configuration, having: schema).violations()
  }

  func makeCopy() throws -> any DataStoreConfiguration {
    let location = try makeLocation()
    var rewriting = try rewriting(
      StructureChange(to: schema),
      from: configuration,
      having: schema
    )
    try rewriting.run(to: Self.core(location, schema)) { _, _ in try Task.checkCancellation() }
    copy = location
    return location
  }

  func replaceByCopy() throws {
    guard let copy else { return }
    try Store.replace(configuration, by: copy)
  }

  func backup(to url: URL) throws {
    let core = try Self.core(configuration, schema)
    guard let store = core.stores.opened.first as? any MaintainableStore else {
      throw DataStoreError(
        .unsupportedFeature,
        "\(Store.self) cannot back itself up; omit backupFolder"
      )
    }
    try store.backup(to: url)
  }

  func end() {
    // A stage's code still reads the copy of a copy, which is discarded after it.
    for location in locations where !isCopy || location != copy { Store.remove(location) }
    locations = []
  }
}
