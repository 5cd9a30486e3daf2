import Foundation
import StoreFiles
import StoreProtocol

extension JSONFileStore: MigratableStore {
  public static func beginMigration(
    of configuration: JSONFileStoreConfiguration
  ) throws -> (any StoreMigration)? {
    guard configuration.allowsSave,
      FileManager.default.fileExists(atPath: configuration.path)
    else { return nil }
    var configuration = configuration.withoutLink()
    configuration.schema = nil
    return JSONMigration(try StoreOpening.core(configuration), configuration)
  }
}

/// A document during a migration; its lock is held as long as it is open.
final class JSONMigration: StoreMigration {
  private let configuration: JSONFileStoreConfiguration
  private var core: StoreCore?
  private var location: MigrationLocation?
  private(set) var schema: StoreSchema

  init(_ core: StoreCore, _ configuration: JSONFileStoreConfiguration) {
    self.core = core
    self.configuration = configuration
    schema = core.schema.storeSchema
  }

  private func opened() throws -> StoreCore {
    guard let core else { throw StoreErrors.closed(configuration.path) }
    return core
  }

  func changeStructure(
    through changes: [StructureChange],
    progress: @escaping StructureProgress
  ) throws -> StructureReport {
    let core = try opened()
    var report = StructureReport()
    guard let last = changes.last else { return report }
    var conversion = conversion(of: core)
    conversion.progress = progress
    try core.replace { state in
      let made = try conversion.converted(state, from: schema, through: changes)
      report.rowsWritten = made.tables.reduce(0) { $0 + ($1.table?.count ?? 0) }
      let before = state.tables.reduce(0) { $0 + ($1.table?.count ?? 0) }
      report.rowsRemoved = before - report.rowsWritten
      return (made, last.schema)
    }
    self.core = nil
    schema = last.schema
    return report
  }

  func violations(of change: StructureChange) throws -> [SchemaViolation] {
    let core = try opened()
    return try conversion(of: core).violations(core.loadedState(), from: schema, to: change)
  }

  private func conversion(of core: StoreCore) -> StructureConversion {
    StructureConversion(
      storeIdentifier: core.identifier,
      file: configuration.path,
      valueFiles: core.valueFiles
    )
  }

  func makeCopy() throws -> any DataStoreConfiguration {
    let core = try opened()
    let (folderPath, name) = FileName.split(configuration.path)
    let made = try translating { () throws(FileError) in
      try MigrationLocation(of: name, in: Folder(path: folderPath, access: configuration.access))
    }
    location = made
    let copy = copyConfiguration(at: made)
    try core.backup(to: copy.url, access: configuration.access)
    return copy
  }

  private func copyConfiguration(at location: MigrationLocation) -> JSONFileStoreConfiguration {
    var copy = JSONFileStoreConfiguration(
      configuration.name,
      url: URL(filePath: location.path),
      durability: .none
    )
    copy.externalStorageThreshold = configuration.externalStorageThreshold
    copy.maximumExternalValueSize = configuration.maximumExternalValueSize
    copy.maximumDocumentSize = configuration.maximumDocumentSize
    copy.access = configuration.access
    copy.history = configuration.history
    return copy
  }

  func replaceByCopy() throws {
    guard let location else { throw StoreErrors.closed(configuration.path) }
    let core = try opened()
    let source = try StoreOpening.core(copyConfiguration(at: location))
    let state = try source.loadedState()
    try core.replace { _ in
      let references = try state.references(file: source.path)
      try Self.adopt(references, from: source.valueFiles, by: core.valueFiles)
      return (state, source.schema.storeSchema)
    }
    self.core = nil
    schema = source.schema.storeSchema
  }

  private static func adopt(
    _ references: some Sequence<FileReference>,
    from copied: ValueFiles,
    by own: ValueFiles
  ) throws {
    do {
      try own.adopt(references, from: copied)
    } catch let error as FileError {
      throw StoreErrors.notSaved(error)
    } catch let error as ValueFileError {
      throw error.translated(entity: nil, property: nil)
    }
  }

  func backup(to url: URL) throws {
    try opened().backup(to: url, access: configuration.access)
  }

  func end() {
    core = nil
    location?.remove()
    location = nil
  }
}
