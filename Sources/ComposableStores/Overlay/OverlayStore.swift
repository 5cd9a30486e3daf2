import Foundation
import StoreHelpers
import StoreProtocol
import Synchronization

/// A store that is only read, with edits in another store on top.
///
/// ```swift
/// let guide = JSONFileStoreConfiguration(url: bundled, allowsSave: false)
///   .overlaid(by: SQLiteStoreConfiguration(url: edits))
/// let container = try ModelContainer(for: Place.self, configurations: guide)
/// ```
///
/// Rows of the base keep their identifiers when they are changed. New rows have keys from 2^40
/// upwards, so that a later version of the base may have rows of its own. The base is never
/// changed, and may be replaced by a later version while it is closed. Edited rows keep their
/// edits, all others are those of the new base, and references to rows that it no longer has read
/// as `nil`.
///
/// Costs: all edits are in memory, and so are the unique values of all rows, which are read when
/// the store is opened. Without edits the base evaluates queries itself. With edits, a query reads
/// all rows of its entity in the base and is evaluated in memory; rows are looked up by identifier.
/// A save is one batch of the store of edits. There is no history, and the base must have the
/// schema of the program.
public final class OverlayStore<Base: RecordStore, Edits: RecordStore>: RecordStore {
  /// The type of the store's configuration.
  public typealias Configuration = OverlayStoreConfiguration<
    Base.Configuration, Edits.Configuration
  >

  /// The configuration of the store.
  public let configuration: Configuration
  /// The models of the program.
  public let schema: Schema
  let base: ReadOnlyStore<Base>
  let edits: EditStore<Edits>
  private let state: Mutex<OverlayState>

  /// Opens the base for reading, and the edits.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` if the base has another schema, and errors of
  ///   opening the stores, for example if the base does not exist.
  public init(
    _ configuration: Configuration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    self.configuration = configuration
    base = try ReadOnlyStore(configuration.base.readOnly())
    schema = base.schema
    edits = try EditStore(configuration.edits, base: base.identifier)
    state = Mutex(try Self.state(of: edits, over: base))
  }

  private static func state(
    of edits: EditStore<Edits>,
    over base: ReadOnlyStore<Base>
  ) throws -> OverlayState {
    var state = try edits.read(base.schema.storeSchema)
    try state.forgetLostReferences(in: base)
    return try OverlayRows(base: base, state: state).notingUniqueValues()
  }

  public var identifier: String { base.identifier }

  public var capabilities: StoreCapabilities {
    let below = base.capabilities
    return StoreCapabilities(
      filtering: .native,
      sorting: .native,
      uniqueness: .native,
      history: .unsupported("an overlay keeps no history"),
      migration: .unsupported("the base store is read-only"),
      concurrentProcesses: .unsupported("the edits are in the memory of one process"),
      versions: below.versions,
      durability: edits.store.capabilities.durability,
      isRemote: below.isRemote || edits.store.capabilities.isRemote
    )
  }

  public func fetch(_ query: StoreQuery) throws -> [DefaultSnapshot] {
    let state = try currentState()
    if let base = unedited(state) { return try base.fetch(query) }
    return try OverlayRows(base: base, state: state).fetch(query)
  }

  public func count(_ query: StoreQuery) throws -> Int {
    if let base = try unedited(currentState()) { return try base.count(query) }
    return try fetch(query).count
  }

  public func identifiers(_ query: StoreQuery) throws -> [PersistentIdentifier] {
    if let base = try unedited(currentState()) { return try base.identifiers(query) }
    return try fetch(query).map(\.persistentIdentifier)
  }

  public func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier: [PersistentIdentifier]] {
    let state = try currentState()
    if let base = unedited(state) {
      return try base.members(of: property, in: entity, owners: owners)
    }
    let rows = OverlayRows(base: base, state: state)
    return try rows.members(of: property, in: entity, owners: owners)
  }

  /// Returns the base if there are no edits and it evaluates all queries itself, or `nil`
  /// otherwise.
  private func unedited(_ state: OverlayState) -> ReadOnlyStore<Base>? {
    let below = base.capabilities
    let isNative = below.filtering == .native && below.sorting == .native
    return isNative && state.isEmpty ? base : nil
  }

  public func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    try check(changes)
    try changes.checkReferences()
    return try state.withLock { state in
      try resolveIndeterminateSave(&state)
      let batch = try OverlayBatch.merged(
        changes,
        over: OverlayRows(base: base, state: state),
        keepsVersions: capabilities.versions.isSupported
      )
      try changes.checkInsertions(batch.result, in: schema.storeSchema)
      var next = batch.state
      try noting(
        IndeterminateOverlaySave(save: changes.saveIdentifier, result: batch.result),
        in: &state
      ) {
        try edits.save(&next, batch.touched, as: changes.saveIdentifier)
      }
      state = next
      return batch.result
    }
  }

  /// Closes both stores.
  public func close() throws {
    try edits.store.close()
    try base.close()
  }

  /// Hides all rows; the base keeps its own.
  public func erase() throws {
    try state.withLock { state in
      try resolveIndeterminateSave(&state)
      var next = state
      let gone = next.erase()
      let identifier = StoreEnvironment.current.makeSaveIdentifier()
      try noting(
        IndeterminateOverlaySave(save: identifier, result: StoreChangesResult()),
        in: &state
      ) {
        try edits.save(&next, [], removing: gone, as: identifier)
      }
      state = next
    }
  }

  public func outcome(ofSave identifier: UUID) throws -> SaveOutcome {
    try state.withLock { state in
      try resolveIndeterminateSave(&state)
      if let resolved = state.resolvedSave, resolved.save == identifier {
        return .saved(resolved.result)
      }
      return try edits.store.outcome(ofSave: identifier)
    }
  }

  /// Runs a save; if its outcome is unknown, notes that in the earlier state.
  private func noting(
    _ indeterminateSave: IndeterminateOverlaySave,
    in state: inout OverlayState,
    _ save: () throws -> Void
  ) throws {
    do {
      try save()
    } catch let error as DataStoreError where error.code == .outcomeUnknown {
      state.indeterminateSave = indeterminateSave
      throw error
    }
  }

  /// Resolves an indeterminate save, if there is one.
  private func resolveIndeterminateSave(_ state: inout OverlayState) throws {
    guard let indeterminateSave = state.indeterminateSave else { return }
    guard case .saved = try edits.store.outcome(ofSave: indeterminateSave.save) else {
      state.indeterminateSave = nil
      return
    }
    state = try Self.state(of: edits, over: base)
    state.resolvedSave = indeterminateSave
  }

  private func currentState() throws -> OverlayState {
    try state.withLock { state in
      try resolveIndeterminateSave(&state)
      return state
    }
  }
}

/// The configuration of a store with edits on top of another.
public struct OverlayStoreConfiguration<
  Below: DataStoreConfiguration,
  Edits: DataStoreConfiguration
>: DataStoreConfiguration, Sendable
where Below.Store: RecordStore, Edits.Store: RecordStore {
  /// The type of the configured store.
  public typealias Store = OverlayStore<Below.Store, Edits.Store>

  /// The configuration of the base, which is only read.
  public var base: Below
  /// The configuration of the store of edits, which has a schema of its own.
  public var edits: Edits

  /// Creates a configuration.
  public init(_ base: Below, edits: Edits) {
    self.base = base
    self.edits = edits
  }

  /// The name of the base configuration.
  public var name: String { base.name }
  /// The models of the store.
  public var schema: Schema? {
    get { base.schema }
    set { base.schema = newValue }
  }

  /// Checks both configurations.
  public func validate() throws {
    try base.validate()
    try edits.validate()
  }
}

extension DataStoreConfiguration where Store: RecordStore {
  /// Returns a configuration that only reads the store, with edits in another one on top.
  public func overlaid<Edits: DataStoreConfiguration>(
    by edits: Edits
  ) -> OverlayStoreConfiguration<Self, Edits> where Edits.Store: RecordStore {
    OverlayStoreConfiguration(self, edits: edits)
  }
}
