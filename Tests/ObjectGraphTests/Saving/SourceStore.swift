import ComposableStores
import Foundation
import OpenSwiftData
import StoreProtocol
import Synchronization

/// What a ``SourceStore`` was asked, and what it does wrong; shared with the test.
final class SourceLog: Sendable {
  /// What becomes of a save that throws.
  enum Fate: CaseIterable, Sendable {
    case saved, lost
  }

  private struct State {
    var inserted = 0
    var updated = 0
    var fate: Fate?
    var isSilent = false
    var outcome: SaveOutcome?
  }

  private let state = Mutex(State())

  /// Whether the store takes records in place of objects.
  let takesRecords: Bool

  init(takesRecords: Bool) { self.takesRecords = takesRecords }

  /// How many new rows came from objects.
  var inserted: Int { state.withLock(\.inserted) }

  /// How many changed rows came from objects.
  var updated: Int { state.withLock(\.updated) }

  /// Makes the next save throw `outcomeUnknown`, and its outcome unavailable.
  func begin(_ fate: Fate) {
    state.withLock {
      $0.fate = fate
      $0.isSilent = true
    }
  }

  /// Has the store know what became of the save.
  func recover() { state.withLock { $0.isSilent = false } }

  func note(_ changes: StoreChanges) {
    func count(_ runs: [RowRun]) -> Int { runs.reduce(0) { $0 + ($1.needsNames ? 0 : $1.count) } }
    state.withLock {
      $0.inserted += count(changes.insertions)
      $0.updated += count(changes.updates)
    }
  }

  func perform(_ save: () throws -> StoreChangesResult) throws -> StoreChangesResult {
    let fate = state.withLock { state in
      defer { state.fate = nil }
      return state.fate
    }
    guard let fate else { return try save() }
    let outcome: SaveOutcome = fate == .saved ? .saved(try save()) : .notSaved
    state.withLock { $0.outcome = outcome }
    throw DataStoreError(.outcomeUnknown, "planned by a test")
  }

  func outcome() throws -> SaveOutcome {
    let outcome = state.withLock { $0.isSilent ? nil : $0.outcome }
    guard let outcome else { throw DataStoreError(.outcomeUnknown, "planned by a test") }
    return outcome
  }
}

/// The configuration of a ``SourceStore``.
struct SourceStoreConfiguration: WrappingConfiguration {
  typealias Store = SourceStore

  var base: SQLiteStoreConfiguration
  let log: SourceLog

  init(_ url: URL, _ log: SourceLog) {
    base = SQLiteStoreConfiguration(url: url)
    self.log = log
  }
}

/// A SQLite store that counts the rows whose values it reads from objects, and does not know of some
/// saves what became of them.
final class SourceStore: WrappingStore {
  typealias Configuration = SourceStoreConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: Configuration
  let base: SQLiteStore

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    base = try SQLiteStore(configuration.base, migrationPlan: migrationPlan)
  }

  func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    let changes = configuration.log.takesRecords ? changes.recorded : changes
    configuration.log.note(changes)
    return try configuration.log.perform { try base.apply(changes) }
  }

  func outcome(ofSave identifier: UUID) throws -> SaveOutcome { try configuration.log.outcome() }
}

extension SourceStore: HistoryKeeping, HistoryProviding {}
