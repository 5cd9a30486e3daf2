import Foundation
import QueryEvaluation
import StoreProtocol
import Synchronization

/// Which folder a store is.
public struct FolderStoreConfiguration: DataStoreConfiguration, Sendable {
  public typealias Store = FolderStore
  public let name = "folder"
  public var schema: Schema?
  public let folder: URL
  /// Runs before each step by which files are changed; tests make steps fail with it.
  public var beforeStep: @Sendable () throws -> Void = {}

  public init(schema: Schema? = nil, folder: URL) { (self.schema, self.folder) = (schema, folder) }
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.folder == rhs.folder }
  public func hash(into hasher: inout Hasher) { hasher.combine(folder) }
}

/// A store over a folder with one JSON file for each row, which leaves filters and orders to the
/// layer above.
///
/// What a save changes is first written whole to `save.json`: when that file is in place, the save
/// has happened. Then the files of the rows follow; where they do not come so far, they are written
/// before the next save, or when the folder is opened again.
public final class FolderStore: RecordStore {
  public typealias Configuration = FolderStoreConfiguration
  public typealias Snapshot = DefaultSnapshot
  public let configuration: FolderStoreConfiguration
  public let schema: Schema
  public let identifier: String
  private let files: RowFiles
  private let state: Mutex<FolderState>

  public init(_ given: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    try given.schema.map { try Self.abilities.check($0.storeSchema) }
    files = try RowFiles(given)
    let found = try files.head()
    guard let schema = given.schema?.storeSchema ?? found?.schema else {
      throw DataStoreError(.invalidConfiguration, "a new folder needs a schema")
    }
    guard found == nil || found?.schema == schema else {
      throw DataStoreError(.schemaMismatch, "the folder has another schema, and stays as it is")
    }
    let head = found ?? FolderHead(identifier: UUID().uuidString, schema: schema)
    if found == nil { try files.write(head) }
    var state = FolderState(head: head)
    try files.read(into: &state)
    (configuration, identifier) = (given, head.identifier)
    self.schema = given.schema ?? Schema(storeSchema: schema)
    self.state = Mutex(state)
  }

  private static let abilities = StoreCapabilities(durability: .full)
  public var capabilities: StoreCapabilities { Self.abilities }

  public func read(_ query: StoreQuery, _ body: (RowReader) throws -> Void) throws {
    guard query.filter == nil || query.identifiers != nil, query.sort.isEmpty else {
      throw DataStoreError(.unsupportedFeature, "contexts filter and sort the rows; fetch in one")
    }
    let state = state.withLock { $0 }
    _ = try state.entity(query.entity)
    let named = query.identifiers.map { Set($0.map(\.number)).compactMap { state.rows[$0] } }
    let found = (named ?? Array(state.rows.values))
      .filter {
        let entity = $0.persistentIdentifier.entityName
        return query.includesSubentities
          ? state.head.schema.isEntity(entity, kindOf: query.entity) : entity == query.entity
      }
      .sorted { $0.persistentIdentifier < $1.persistentIdentifier }
    let rest = found.dropFirst(max(0, query.offset))
    try read(records: Array(query.limit.map { rest.prefix(max(0, $0)) } ?? rest), body)
  }

  public func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    try check(changes)
    return try replace { try $0.apply(changes) }
  }

  public func erase() throws { try replace { $0.rows = [:] } }

  private func replace<T: Sendable>(_ change: (inout FolderState) throws -> T) throws -> T {
    try state.withLock { state in
      // The files of the save before, where they did not come so far.
      try files.finish(&state)
      var next = state
      let result = try change(&next)
      next.save = FolderSave(from: state, to: next)
      try files.commit(next.save)
      state = next
      state.isFinished = false
      try? files.finish(&state)
      return result
    }
  }
}
