import Foundation
import StoreFiles
import StoreProtocol

// A commit writes frames to the log, syncs them, and then moves the end of the log in SQLite's index
// of it. When it fails before the last step, nobody sees its frames as long as one process has the
// file open, since the index knows nothing of them. A recovery, after all have ended, reads the log
// itself: it would bring to life what a save has called not saved. So the log is cut first.

extension Database {
  /// Runs a body in a transaction, and takes it back when its commit fails.
  func commit<Result>(
    _ body: (Connection) throws -> Result,
    on connection: Connection,
    _ doubt: CommitDoubt
  ) throws -> Result {
    var before: LogIndex?
    var result: Result?
    do {
      return try Self.transaction(on: connection) { connection in
        before = connection.logIndex
        let value = try body(connection)
        result = value
        return value
      }
    } catch let failure as CommitFailure where failure.outcomeIsUnknown {
      // Its descriptors are not used again, whatever comes of it.
      connection.spoil()
      guard let before, let after = connection.logIndex else {
        throw StoreErrors.unknown(place.path, cause: failure.cause)
      }
      // The index was moved, so that the frames were written and synced before the failure.
      if after.transaction != before.transaction, let result { return result }
      try takeBack(doubt, logSize: after.logSize)
      throw failure.cause
    }
  }

  private func takeBack(_ doubt: CommitDoubt, logSize: Int) throws {
    guard case .file(let file) = place else { return }
    var doubt = doubt
    doubt.logSize = logSize
    writer.doubt = doubt
    isInDoubt.store(true, ordering: .releasing)
    try settle(file)
  }

  /// Takes back a commit that failed, where that is still to be done.
  ///
  /// - Parameters:
  ///   - file: The database file.
  ///   - save: The save that is about to begin, where there is one.
  /// - Throws: ``DataStoreError/outcomeUnknown`` when the system refuses, ``DataStoreError/notSaved``
  ///   before a save which is another one than that in doubt.
  func settle(_ file: DatabaseFile, before save: UUID? = nil) throws {
    guard isInDoubt.load(ordering: .acquiring) else { return }
    try writer.withSlot { slot in
      guard let doubt = slot.doubt else { return }
      do {
        // Nobody else's log is cut.
        try checkFile(file)
        try file.log.cut(to: doubt.logSize, isSynced: options.synchronous != .off)
      } catch {
        guard let save, save != doubt.save else {
          throw StoreErrors.unknown(place.path, cause: error)
        }
        throw StoreErrors.notBegun(place.path, cause: error)
      }
      slot.endDoubt()
      isInDoubt.store(false, ordering: .releasing)
    }
  }

  /// What became of a save that was in doubt.
  func outcome(ofSave identifier: UUID) throws -> SaveOutcome {
    guard case .file(let file) = place else {
      throw StoreErrors.unknown(place.path, cause: nil)
    }
    return try writer.withSlot { slot in
      if slot.doubt?.save == identifier { try settle(file) }
      if slot.refused.contains(identifier) { return .notSaved }
      throw StoreErrors.unknown(place.path, cause: nil)
    }
  }
}
