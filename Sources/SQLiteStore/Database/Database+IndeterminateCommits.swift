import Foundation
import StoreFiles
import StoreProtocol

// A commit writes frames to the log, syncs them, and then moves the end of the log in SQLite's
// index of it. If it fails before the last step, its frames stay invisible while any process has
// the file open, since the index does not include them. After all processes have ended, a recovery
// reads the log itself. It would restore a save that was reported as not saved. So the log is
// truncated first.

/// A failed commit whose frames may still be in the log.
struct IndeterminateCommit: Sendable {
  /// The maximum number of indeterminate saves that are remembered.
  static let mostRemembered = 1_024

  /// The identifiers of the saves.
  let saves: [UUID]
  /// The lock that keeps all others from writing, and so from a recovery, until the outcome is
  /// settled.
  let lock: StoreLock
  /// The length of the log without those frames.
  let logSize: Int
}

extension Database {
  /// Runs a body in a transaction, and rolls it back if its commit fails.
  func commit<Result>(
    _ body: (inout Transaction) throws -> Result,
    on connection: Connection,
    _ lock: StoreLock,
    waiting patience: Int
  ) throws -> Result {
    var before: LogIndex?
    var result: Result?
    var transaction = Transaction(connection: connection)
    do {
      return try connection.transaction(waiting: patience) {
        before = connection.logIndex
        let value = try body(&transaction)
        // The others of a group may have come after the check of the files before the first one.
        if transaction.saves.count > 1, let file { try checkFile(file) }
        if !writer.refused.isEmpty { writer.forgetOutcomes(of: transaction.saves) }
        result = value
        return value
      }
    } catch let failure as CommitFailure where failure.outcomeIsUnknown {
      // Its descriptors are not used again, whatever the outcome.
      connection.makeUnusable()
      guard let before, let after = connection.logIndex else {
        throw StoreErrors.unknown(file?.path, cause: failure.cause)
      }
      // The index was moved, so the frames were written and synced before the failure.
      if after.transaction != before.transaction, let result { return result }
      try discard(
        IndeterminateCommit(saves: transaction.saves, lock: lock, logSize: after.logSize)
      )
      throw failure.cause
    }
  }

  private func discard(_ indeterminateCommit: IndeterminateCommit) throws {
    guard let file else { return }
    writer.indeterminateCommit = indeterminateCommit
    hasIndeterminateCommit.store(true, ordering: .releasing)
    try resolveIndeterminateCommit(file)
  }

  /// Rolls back a failed commit, if that is still to be done.
  ///
  /// - Parameters:
  ///   - file: The database file.
  ///   - save: The save that is about to begin, if there is one.
  /// - Throws: ``DataStoreError/outcomeUnknown`` if the system refuses; ``DataStoreError/notSaved``
  ///   before a save other than the indeterminate ones.
  func resolveIndeterminateCommit(_ file: DatabaseFile, before save: UUID? = nil) throws {
    guard hasIndeterminateCommit.load(ordering: .acquiring) else { return }
    try writer.withSlot { slot in
      guard let indeterminateCommit = slot.indeterminateCommit else { return }
      do {
        // Only this store's own log is truncated.
        try checkFile(file)
        try file.log.cut(to: indeterminateCommit.logSize, isSynced: options.synchronous != .off)
      } catch {
        guard let save, !indeterminateCommit.saves.contains(save) else {
          throw StoreErrors.unknown(file.path, cause: error)
        }
        throw StoreErrors.notBegun(file.path, cause: error)
      }
      slot.endIndeterminateCommit()
      hasIndeterminateCommit.store(false, ordering: .releasing)
    }
  }

  func outcome(ofSave identifier: UUID) throws -> SaveOutcome {
    guard let file else { throw StoreErrors.unknown(nil, cause: nil) }
    // A child process may not have the thread that holds the lock.
    guard process.isCurrent else { throw StoreErrors.inherited(file.path) }
    return try writer.withSlot { slot in
      if slot.indeterminateCommit?.saves.contains(identifier) == true {
        try resolveIndeterminateCommit(file)
      }
      if slot.refused.contains(identifier) { return .notSaved }
      throw StoreErrors.unknown(file.path, cause: nil)
    }
  }
}
