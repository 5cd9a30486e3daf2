import Foundation
import StoreFiles

/// The writing connection and the lock under which it is used.
///
/// Unchecked: the connection is only used between `lock` and `unlock`, unless it is lent. The lock is
/// recursive, since the body of a read in memory may read again.
final class WriterSlot: @unchecked Sendable {
  private let lock = NSRecursiveLock()
  private(set) var connection: Connection
  /// The failed commit that is not rolled back yet.
  var indeterminateCommit: IndeterminateCommit?
  /// The last indeterminate saves that turned out not to be stored.
  private(set) var refused: [UUID] = []
  /// The number of pages in the log from which a checkpoint after a failure is tried again.
  var logPagesToWaitFor = 0
  /// The sidecar lock of the last save, released, whose file stays open for the next one.
  private var idleLock: StoreLock?
  /// Whether a save of this thread holds the sidecar lock.
  private var isLocked = false
  /// Whether the connection may have written, so that it stays here.
  private var isNeeded = false
  private let options: ConnectionOptions

  /// Creates a slot with a connection, and the options of those that replace it.
  init(_ connection: Connection, _ options: ConnectionOptions) {
    self.connection = connection
    self.options = options
  }

  func withConnection<Result>(_ body: (Connection) throws -> Result) rethrows -> Result {
    try withSlot { try body($0.connection) }
  }

  /// Runs a body while every other writer of this process is kept out.
  func withSlot<Result>(_ body: (WriterSlot) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(self)
  }

  /// Lends the connection to readers until the first save, or returns `nil` if it is in use.
  ///
  /// A store that was just opened thus needs no second connection for its first queries.
  func lend() -> Connection? {
    guard lock.try() else { return nil }
    defer { lock.unlock() }
    guard !isNeeded, !connection.isLent, !connection.isUnusable,
      (try? connection.allowChanges(false)) != nil
    else { return nil }
    connection.isLent = true
    return connection
  }

  /// Ends the lending, with the connection that was lent, or a new one if that is still in use.
  func endLending(_ connection: Connection) throws {
    try connection.allowChanges(true)
    connection.isLent = false
    self.connection = connection
  }

  /// Returns the connection, which is not lent, or a new one if the last failure has spoiled it.
  func usableConnection() throws -> Connection {
    isNeeded = true
    return connection.isUnusable ? try reopenedConnection() : connection
  }

  /// Replaces the connection with a new one, and closes the old one.
  ///
  /// If the open fails, the old connection remains, closed, and the next save tries again.
  private func reopenedConnection() throws -> Connection {
    closeUnusable()
    let fresh = try Connection(options)
    try fresh.enterWAL()
    fresh.mustCheckLog = true
    connection = fresh
    return connection
  }

  /// Closes the connection; the next use opens another.
  func closeUnusable() {
    connection.makeUnusable()
    connection.close()
  }

  /// Forgets that saves were not stored which are made again.
  func forgetOutcomes(of saves: [UUID]) {
    refused.removeAll(where: saves.contains)
  }

  /// Ends an indeterminate commit, whose saves are not stored.
  func endIndeterminateCommit() {
    guard let indeterminateCommit else { return }
    self.indeterminateCommit = nil
    refused = (refused + indeterminateCommit.saves).suffix(IndeterminateCommit.mostRemembered)
  }

  /// Takes the sidecar lock, which separates the commits and checkpoints of all processes.
  ///
  /// A save within another one of this thread opens the file again, and fails: it would wait in vain.
  func takeLock(for request: SaveRequest) throws -> StoreLock {
    let idle = idleLock
    idleLock = nil
    let lock: StoreLock
    if let idle,
      try idle.takeAgain(in: request.file.folder, waitingMilliseconds: request.patience)
    {
      lock = idle
    } else {
      lock = try request.file.lock(waiting: isLocked ? 0 : request.patience)
    }
    isLocked = true
    return lock
  }

  /// Releases the sidecar lock, unless a failed commit keeps it.
  func release(_ lock: StoreLock) {
    isLocked = false
    guard indeterminateCommit?.lock !== lock else { return }
    lock.release()
    idleLock = lock
  }

  func close() {
    withSlot { slot in
      slot.connection.close()
      slot.idleLock = nil
    }
  }
}

/// A save for which a transaction begins, and the time until which it waits for other writers.
///
/// One time limits the waits for the sidecar lock and for SQLite's own lock, which other programs
/// take. It begins before the wait for the saves of the process, which itself has no limit: these make
/// progress. So many saves that wait while another program writes fail together, and not one timeout
/// after the other.
struct SaveRequest {
  /// The identifier by which an unknown outcome can be queried.
  let save: UUID
  let file: DatabaseFile
  /// Whether SQLite enforces foreign keys.
  let checksReferences: Bool
  private let end: ContinuousClock.Instant

  /// Creates the request of a save that begins to wait now.
  init(_ save: UUID, _ file: DatabaseFile, checksReferences: Bool = true) {
    self.save = save
    self.file = file
    self.checksReferences = checksReferences
    end = .now + .milliseconds(file.patience)
  }

  /// The rest of the time, in milliseconds; without any, a lock is tried once.
  var patience: Int { Int(max(.zero, ContinuousClock.now.duration(to: end)) / .milliseconds(1)) }
}
