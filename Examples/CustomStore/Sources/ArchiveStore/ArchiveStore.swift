import Foundation
import StoreProtocol
import Synchronization

/// Where an archive is: all that a program says to have one.
public struct ArchiveConfiguration: DataStoreConfiguration, Sendable {
  public typealias Store = ArchiveStore
  public let name = "archive"
  public var schema: Schema?
  public let fileURL: URL
  /// Runs before each step by which the file is replaced; tests make steps fail with it.
  public var beforeStep: @Sendable () throws -> Void = {}

  public init(schema: Schema? = nil, fileURL: URL) {
    (self.schema, self.fileURL) = (schema, fileURL)
  }
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.fileURL == rhs.fileURL }
  public func hash(into hasher: inout Hasher) { hasher.combine(fileURL) }
}

/// An archival store: one JSON file, read when the store is opened and written anew at each save.
public final class ArchiveStore: RecordStore {
  public typealias Configuration = ArchiveConfiguration
  public typealias Snapshot = DefaultSnapshot
  public let configuration: ArchiveConfiguration
  public let schema: Schema
  public let identifier: String
  private let lock: FileLock
  private let archive: Mutex<Archive>

  public init(_ given: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    try given.schema.map { try Self.abilities.check($0.storeSchema) }
    lock = try FileLock(given.fileURL.path + ".lock")
    let found = try Archive(at: given.fileURL)
    guard let schema = given.schema?.storeSchema ?? found?.schema else {
      throw DataStoreError(.invalidConfiguration, "a new archive needs a schema")
    }
    guard found == nil || found?.schema == schema else {
      throw DataStoreError(.schemaMismatch, "the archive has another schema, and stays as it is")
    }
    let archive = found ?? Archive(identifier: UUID().uuidString, schema: schema)
    if found == nil { try archive.write(given) }
    (configuration, identifier) = (given, archive.identifier)
    self.schema = given.schema ?? Schema(storeSchema: schema)
    self.archive = Mutex(archive)
  }

  private static let abilities = StoreCapabilities(
    filtering: .native,
    sorting: .native,
    durability: .full
  )
  public var capabilities: StoreCapabilities { Self.abilities }

  public func fetch(_ query: StoreQuery) throws -> [DefaultSnapshot] {
    // A copy: a save that comes meanwhile does not change the answer.
    try archive.withLock { $0 }.answer(query)
  }

  public func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    try capabilities.check(changes)
    return try replace { try $0.apply(changes) }
  }

  public func erase() throws { try replace { $0.rows = [:] } }

  /// Works on a copy, which becomes the state when the file has it.
  private func replace<T: Sendable>(_ change: (inout Archive) throws -> T) throws -> T {
    try archive.withLock { archive in
      var next = archive
      let result = try change(&next)
      try next.write(configuration)
      archive = next
      return result
    }
  }
}

/// Keeps other stores away from an archive that is open.
final class FileLock: Sendable {
  private let descriptor: Int32

  init(_ path: String) throws {
    descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw DataStoreError(.storeBusy, "another store has the archive open", file: path)
    }
  }

  deinit { close(descriptor) }
}
