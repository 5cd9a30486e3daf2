import Foundation
import StoreFiles
import StoreProtocol

extension SQLiteStore: MigratableStore {
  public static func beginMigration(
    of configuration: SQLiteStoreConfiguration
  ) throws -> (any StoreMigration)? {
    try configuration.validate()
    guard let url = configuration.file, configuration.allowsSave else { return nil }
    return try StoreErrors.translating(.opening, file: url.path) {
      try SQLiteMigration(configuration, path: url.path)
    }
  }
}

/// A database that is being migrated: its sidecar lock is held, so that no store of any process
/// saves to it.
final class SQLiteMigration: StoreMigration {
  private let opening: StoreOpening
  private let file: DatabaseFile
  private var lock: StoreLock?
  private let connection: Connection
  private let hold: DatabaseHold
  private var metadata: Metadata
  private var location: MigrationLocation?

  /// Opens and checks the file, or returns `nil` if there is none, or it is empty.
  init?(_ configuration: SQLiteStoreConfiguration, path: String) throws {
    opening = StoreOpening(configuration: configuration)
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    file = try opening.file(at: path, makesFolder: false)
    if let objection = try file.folder.objectionToWriting() { throw objection }
    guard let found = try opening.claim(file, for: .updating) else { return nil }
    let (opening, file) = (opening, file)
    lock = try opening.releasing(found) { try file.lock(waiting: file.patience) }
    (connection, hold) = try opening.connecting(to: file, found: found) { ($0, $1) }
    do {
      guard let found = try opening.check(connection) else {
        connection.close()
        hold.release {}
        lock = nil
        return nil
      }
      metadata = found
      try opening.prepareLog(file, hold, on: connection)
      try hold.takeLocks(of: file)
    } catch {
      connection.close()
      hold.release {}
      lock = nil
      throw error
    }
  }

  deinit { end() }

  var schema: StoreSchema { metadata.schema }

  func changeStructure(
    through changes: [StructureChange],
    progress: @escaping StructureProgress
  ) throws -> StructureReport {
    try StoreErrors.translating(.saving, file: file.path) {
      let made = try opening.migrate(
        metadata,
        through: changes,
        on: connection,
        progress: progress
      )
      metadata = try metadata.migrated(to: changes.last?.schema ?? schema, made.fingerprint)
      connection.checkpoint()
      return made.report
    }
  }

  func violations(of change: StructureChange) throws -> [SchemaViolation] {
    try StoreErrors.translating(.reading, file: file.path) {
      var run = StructureRun(
        on: connection,
        identifier: metadata.identifier,
        file: file.path,
        progress: { _, _ in }
      )
      do {
        try connection.withoutReferenceChecks {
          try connection.transaction {
            try FormatUpgrade(connection: connection).run(schema)
            _ = try run.run([change], from: schema)
            throw Undone()
          }
        }
      } catch {
        guard error is Undone || !run.violations.isEmpty else { throw error }
      }
      return run.violations
    }
  }

  func makeCopy() throws -> any DataStoreConfiguration {
    let copy = try StoreErrors.translating(.copying, file: file.path) {
      try copyConfiguration(at: MigrationLocation(of: file.name, in: file.folder))
    }
    try backup(to: copy.url)
    return copy
  }

  private func copyConfiguration(at location: MigrationLocation) -> SQLiteStoreConfiguration {
    self.location = location
    let configuration = opening.configuration
    var copy = SQLiteStoreConfiguration(
      configuration.name,
      url: URL(filePath: location.path),
      durability: .none
    )
    copy.externalStorageThreshold = configuration.externalStorageThreshold
    copy.maximumExternalValueSize = configuration.maximumExternalValueSize
    copy.log = configuration.log
    copy.history = configuration.history
    copy.access = configuration.access
    copy.fileSystem = configuration.fileSystem
    return copy
  }

  func backup(to url: URL) throws {
    let backup = try StoreBackup(to: url, access: opening.configuration.access)
    try StoreErrors.translating(.copying, file: file.path) {
      let map = try SchemaMap(schema, fileMarks: FileColumns.marks(on: connection))
      try connection.snapshot { try backup.make(from: connection, map) }
    }
  }

  func end() {
    guard lock != nil else { return }
    location?.remove()
    location = nil
    hold.release {
      connection.allowCheckpointAtClose()
      connection.close()
    }
    lock = nil
  }
}

/// An error that rolls back a trial migration.
private struct Undone: Error {}

extension SQLiteMigration {
  /// Overwrites the store's pages with the copy's in one transaction.
  ///
  /// The store's log has them until all are complete. So a kill at any point leaves the store
  /// unchanged or equal to the copy. Files of values come first. The next open removes files to
  /// which no row refers yet or any more.
  func replaceByCopy() throws {
    guard let location else { throw StoreErrors.notBegun(file.path, cause: CancellationError()) }
    try StoreErrors.translating(.saving, file: file.path) {
      let (folder, name) = FileName.split(location.path)
      let copied = ValueFiles(
        of: name,
        in: try Folder(path: folder, access: opening.configuration.access),
        policy: .system,
        maximumSize: opening.configuration.maximumExternalValueSize
      )
      var options = opening.options(nil, files: copied)
      options.location = .file(try DatabaseFile.resolved(location.path, of: "the copy"))
      options.synchronous = .off
      let source = try Connection(options)
      defer { source.close() }
      guard let found = try opening.check(source) else {
        throw DataStoreError(.storeDamaged, "the migrated copy is empty", file: location.path)
      }
      let map = try SchemaMap(found.schema, fileMarks: FileColumns.marks(on: source))
      let own = opening.files(of: file)
      own.setOwner(found.identifier)
      if map.hasFileColumns {
        try own.adopt(FileColumns.references(map, on: source), from: copied)
      }
      try connection.takePages(of: source)
      metadata = found
      if connection.checkpoint(), map.hasFileColumns {
        try? FileColumns.sweep(own, map, on: connection)
      }
    }
  }
}
