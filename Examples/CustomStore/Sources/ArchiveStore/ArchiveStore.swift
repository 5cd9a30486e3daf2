import Foundation
import QueryEvaluation
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
  /// How the file is written; a test writes it without care.
  var write: @Sendable (Data, ArchiveConfiguration) throws -> Void = { try $1.replaceFile(by: $0) }

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
  private let lock: FileHandle
  private let archive: Mutex<Archive>

  public init(_ given: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    try given.schema.map { try Self.can.check($0.storeSchema) }
    // Whoever has the lock has the archive; it is free when the store is gone.
    let descriptor = open(given.fileURL.path + ".lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    lock = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw DataStoreError(.storeBusy, "another store has it open", file: given.fileURL.path)
    }
    let found = try Archive(at: given.fileURL)
    guard let schema = given.schema?.storeSchema ?? found?.schema else {
      throw DataStoreError(.invalidConfiguration, "a new archive needs a schema")
    }
    guard found == nil || found?.schema == schema else {
      throw DataStoreError(.schemaMismatch, "the archive has another schema, and stays as it is")
    }
    let archive = found ?? Archive(identifier: UUID().uuidString, schema: schema)
    if found == nil { try given.write(archive.encoded(), given) }
    (configuration, identifier) = (given, archive.identifier)
    self.schema = given.schema ?? Schema(storeSchema: schema)
    self.archive = Mutex(archive)
  }

  static let can = StoreCapabilities(filtering: .native, sorting: .native, durability: .full)
  public var capabilities: StoreCapabilities { Self.can }

  public func read(_ query: StoreQuery, _ body: (RowReader) throws -> Void) throws {
    // A copy: a save that comes meanwhile does not change the result.
    try read(records: archive.withLock { $0 }.evaluate(query), body)
  }

  public func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    try check(changes)
    return try replace { try $0.apply(changes) }
  }

  public func erase() throws { try replace { $0.rows = [:] } }

  /// Works on a copy, which becomes the state when the file has it.
  private func replace<T: Sendable>(_ change: (inout Archive) throws -> T) throws -> T {
    try archive.withLock { archive in
      var next = archive
      let result = try change(&next)
      try configuration.write(next.encoded(), configuration)
      archive = next
      return result
    }
  }
}
