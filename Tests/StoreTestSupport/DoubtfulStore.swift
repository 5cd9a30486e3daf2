import Foundation
import StoreProtocol
import Synchronization

/// A store that passes everything on to another, and does not know of some saves what became of them.
public final class DoubtfulStore<Base: RecordStore>: RecordStore
where Base.Configuration: Sendable {
  /// The configuration that describes such a store.
  public typealias Configuration = DoubtfulStoreConfiguration<Base>
  /// The records in which the store deals.
  public typealias Snapshot = DefaultSnapshot

  /// The configuration that the store was made from.
  public let configuration: Configuration
  private let base: Base

  /// Opens the store below.
  public init(
    _ configuration: Configuration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    self.configuration = configuration
    base = try Base(configuration.base, migrationPlan: migrationPlan)
  }

  public var identifier: String { base.identifier }
  public var schema: Schema { base.schema }
  public var capabilities: StoreCapabilities { base.capabilities }

  public func fetch(_ query: StoreQuery) throws -> [DefaultSnapshot] { try base.fetch(query) }

  public func identifiers(_ query: StoreQuery) throws -> [PersistentIdentifier] {
    try base.identifiers(query)
  }

  public func read(
    _ query: StoreQuery,
    _ body: (PersistentIdentifier, RowReader) throws -> Void
  ) throws {
    try base.read(query, body)
  }

  public func part(of query: StoreQuery) throws -> StoreQueryPart { try base.part(of: query) }

  public func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier: [PersistentIdentifier]] {
    try base.members(of: property, in: entity, owners: owners)
  }

  public func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    try configuration.doubts.apply(changes) { try base.apply(changes) }
  }

  public func supports(_ change: BulkChange) throws -> Bool { try base.supports(change) }

  public func outcome(ofSave identifier: UUID) throws -> SaveOutcome {
    try configuration.doubts.outcome(ofSave: identifier)
  }

  public func erase() throws { try base.erase() }
}

/// Which saves a doubtful store does not know of, shared with the test.
public final class Doubts: Sendable {
  /// What becomes of a save that throws.
  public enum Fate: CaseIterable, Sendable {
    /// It is stored nevertheless.
    case saved
    /// It is not stored.
    case lost
  }

  private struct State {
    var fate: Fate?
    var canTell = true
    var keepsAccount = true
    var outcomes: [UUID: SaveOutcome] = [:]
    var saves = 0
  }

  private let state = Mutex(State())

  /// Creates a store's knowledge of all its saves.
  public init() {}

  /// How many saves the store was asked for.
  public var saves: Int { state.withLock { $0.saves } }

  /// Has the next save throw `outcomeUnknown`.
  ///
  /// - Parameters:
  ///   - fate: What becomes of the save.
  ///   - canTell: Whether the store can say so when it is asked, now or after ``recover()``.
  ///   - keepsAccount: Whether it ever can.
  public func begin(_ fate: Fate, canTell: Bool = false, keepsAccount: Bool = true) {
    state.withLock { state in
      state.fate = fate
      state.canTell = canTell
      state.keepsAccount = keepsAccount
    }
  }

  /// Has the store know what became of its saves.
  public func recover() { state.withLock { $0.canTell = true } }

  func apply(
    _ changes: StoreChanges,
    _ body: () throws -> StoreChangesResult
  ) throws -> StoreChangesResult {
    let fate = state.withLock { state in
      state.saves += 1
      defer { state.fate = nil }
      return state.fate
    }
    guard let fate else { return try body() }
    let outcome: SaveOutcome = fate == .saved ? .saved(try body()) : .notSaved
    state.withLock { $0.outcomes[changes.saveIdentifier] = outcome }
    throw DataStoreError.outcomeUnknown
  }

  func outcome(ofSave identifier: UUID) throws -> SaveOutcome {
    try state.withLock { state in
      guard state.keepsAccount else { throw DataStoreError.unsupportedFeature }
      guard state.canTell, let outcome = state.outcomes[identifier] else {
        throw DataStoreError.outcomeUnknown
      }
      return outcome
    }
  }
}

/// The description of a doubtful store; copies share their doubts.
public struct DoubtfulStoreConfiguration<Base: RecordStore>: DataStoreConfiguration, Sendable
where Base.Configuration: Sendable {
  /// The kind of store that this configures.
  public typealias Store = DoubtfulStore<Base>

  /// The configuration of the store below.
  public var base: Base.Configuration
  /// What the store does not know.
  public let doubts: Doubts

  /// Creates the configuration of a doubtful store.
  public init(_ base: Base.Configuration, doubts: Doubts) {
    self.base = base
    self.doubts = doubts
  }

  /// The name of the configuration below.
  public var name: String { base.name }
  /// The models of the store.
  public var schema: Schema? {
    get { base.schema }
    set { base.schema = newValue }
  }

  /// Compares the configurations below.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.base == rhs.base }

  /// Hashes the configuration below.
  public func hash(into hasher: inout Hasher) { hasher.combine(base) }
}
