import Dispatch
import Foundation
import StoreFiles
import StoreHelpers
import StoreProtocol
import Synchronization

/// The connections to one database: one writer and a pool of readers.
///
/// Invariants:
/// 1. A group of saves holds the sidecar lock from before its `BEGIN IMMEDIATE` to after its
///    checkpoint. So no checkpoint of the store's processes runs during a commit (SQLite before
///    3.51.3 may lose the commit then).
/// 2. A connection is used by one thread at a time: the writer under its lock, a reader by the
///    caller that took it from the pool, and an idle one under the lock of the pool. Until the first
///    save, the writer is a reader as well.
/// 3. A connection that a failure has spoiled is closed and not reused.
/// 4. Until a failed commit is rolled back, nothing is read or written, and the sidecar lock stays
///    held (`Database+IndeterminateCommits.swift`).
/// 5. A database in memory has one connection, which reads and writes under a recursive lock.
final class Database: Sendable {
  /// The log is checkpointed when it has more pages than this.
  static let longestLog = 1_000

  /// The number of pages up to which a checkpointed log keeps its length, for the next commits to
  /// overwrite.
  ///
  /// The file system then has no metadata of its own to sync for them. Where it has, as ext4 for a
  /// file that grows, that is half the cost of a durable commit.
  static let longestKeptLog = 4 * longestLog

  /// The number of idle readers that are kept, and of those that keep their page caches.
  private static let idleReaders = 8
  private static let warmReaders = 2

  /// The file, or `nil` for a database in memory.
  let file: DatabaseFile?

  /// The files of large values, or `nil` if rows refer to none.
  let files: ValueFiles?
  let options: ConnectionOptions
  let writer: WriterSlot
  /// Whether the writer has an indeterminate commit.
  let hasIndeterminateCommit = Atomic(false)
  private let readers = Mutex<[Connection]>([])
  /// The readers that bodies of ``holdingReader(_:)`` hold.
  let held = HeldStates<Connection>()
  /// The last save of any process that was noticed.
  let noticed = Mutex<NoticedSave?>(nil)
  let group = GroupCommit<Database>()
  private let use = DatabaseUse()
  let process = ProcessMark.current
  /// The hold on the file and the files that were opened, or `nil` for a database in memory.
  let opened: OpenedFiles?

  /// Takes ownership of the connection with which the database was opened, and of the hold on its
  /// file.
  init(
    _ connection: Connection,
    file: DatabaseFile?,
    opened: OpenedFiles?,
    hasFiles: Bool,
    fingerprint: String
  ) {
    self.file = file
    self.files = hasFiles ? connection.options.files : nil
    var options = connection.options
    // No other program can open a database in memory.
    if file != nil {
      options.fingerprint = fingerprint
      connection.expectSchema(fingerprint)
    }
    self.options = options
    self.writer = WriterSlot(connection, options)
    self.opened = opened
    let mark = connection.logMark
    if let number = try? HistoryTable.saves(on: connection) { notice(number, at: mark) }
  }

  deinit {
    close()
  }

  /// Completes running requests and closes the connections.
  ///
  /// Later uses throw.
  func close() {
    if use.end(waits: process.isCurrent) { closeConnections() }
  }

  /// A Boolean value that indicates whether the database accepts no changes.
  var isReadOnly: Bool { options.role == .readOnlyFile }

  /// Closes the connections; the last one of a file checkpoints and removes the log.
  private func closeConnections() {
    // All requests have ended: a lent connection is idle.
    writer.withSlot { slot in
      if let lent = takeBack(slot) { try? slot.endLending(lent) }
    }
    closeIdleReaders()
    guard let opened else { return writer.close() }
    // A child process leaves its parent's files alone. A log whose content is indeterminate is left
    // to the next open.
    guard let file, !isReadOnly, process.isCurrent,
      (try? resolveIndeterminateCommit(file)) != nil
    else { return opened.hold.release { writer.close() } }
    // A busy lock means that another process is running; that one will checkpoint the log.
    let lock = try? StoreLock(of: file.name, in: file.folder)
    if lock != nil { writer.withSlot { prepareCheckpoint($0, file) } }
    opened.hold.release {
      if lock != nil { enableCheckpointAtClose(file) }
      writer.close()
    }
  }

  func closeIdleReaders() {
    readers.withLock { readers in
      for reader in readers { reader.close() }
      readers.removeAll()
    }
  }
}

extension Database {
  /// Runs a request; a close waits until it ends.
  ///
  /// It is refused if the database is closed, if this process inherited the connections (SQLite's
  /// locks are not inherited), and if it changes a database that is read-only.
  func used<Result>(_ task: StoreErrors.Task, _ body: () throws -> Result) throws -> Result {
    let result = try use.during { () throws -> Result in
      guard process.isCurrent else { throw StoreErrors.inherited(file?.path) }
      guard task == .reading || !isReadOnly else {
        throw DataStoreError(
          .storeReadOnly,
          "the store was opened read-only; open it with allowsSave true (without readonly in a URL)",
          file: file?.path
        )
      }
      do {
        return try body()
      } catch {
        throw StoreErrors.translated(error, task, file: file?.path)
      }
    }
    guard let result else {
      throw DataStoreError(
        .storeClosed,
        "the store was closed; open it again",
        file: file?.path
      )
    }
    return result
  }

  /// Provides access to a connection for one statement, which sees one state by itself.
  func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try used(.reading) {
      guard let file else { return try writer.withConnection(body) }
      if let held = held.current { return try body(held) }
      if hasIndeterminateCommit.load(ordering: .acquiring) {
        try resolveIndeterminateCommit(file)
      }
      // Before the state is chosen whose rows may refer to files.
      try files?.beginReading(patience: file.patience)
      defer { files?.endReading() }
      let reader = try takeReader(file)
      defer { returnReader(reader) }
      return try body(reader)
    }
  }

  /// Provides access to a connection for several statements, which all see one state.
  func readSnapshot<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try read { connection in try connection.snapshot { try body(connection) } }
  }

  /// Runs a body whose reads on this thread all see one state.
  ///
  /// The reads share one transaction and its locks. A single statement spends as much time on these
  /// as on a row.
  func holdingReader(_ body: () throws -> Void) throws {
    guard file != nil, held.current == nil else { return try body() }
    try readSnapshot { try held.hold($0, during: body) }
  }

  /// The mark of the log as an idle reader sees it, or `nil` if there is none.
  var idleMark: LogIndex.Mark? { readers.withLock { $0.last?.logMark } }

  /// Returns an idle reader, the connection that the writer lends, or a new reader.
  ///
  /// A caller that keeps and closes the reader cannot borrow the writer's.
  func takeReader(_ file: DatabaseFile, borrows: Bool = true) throws -> Connection {
    let idle = readers.withLock { readers in
      readers.lastIndex { borrows || !$0.isLent }.map { readers.remove(at: $0) }
    }
    if let idle { return idle }
    try checkFile(file)
    if borrows, let lent = writer.lend() { return lent }
    return try openReader(file)
  }

  /// Opens a reader of a file that was just checked.
  private func openReader(_ file: DatabaseFile) throws -> Connection {
    var options = options
    if options.role == .writer { options.role = .reader }
    let reader = try Connection(options)
    // Checked again: the path may refer to another file since just before the open.
    try checkFile(file)
    return reader
  }

  /// Ends the lending of the writer's connection, which serves no reads from then on.
  func endLending(_ slot: WriterSlot, _ file: DatabaseFile) throws {
    try slot.endLending(takeBack(slot) ?? takeReader(file, borrows: false))
  }

  /// Removes the writer's connection from the idle readers, and returns `nil` if it is not there.
  private func takeBack(_ slot: WriterSlot) -> Connection? {
    readers.withLock { readers in
      readers.firstIndex { $0 === slot.connection }.map { readers.remove(at: $0) }
    }
  }

  func returnReader(_ reader: Connection) {
    guard !reader.isUnusable else { return reader.close() }
    reader.mayHavePages = true
    let isKept = readers.withLock { readers in
      guard readers.count < Self.idleReaders || reader.isLent else { return false }
      let cooling = readers.count - Self.warmReaders
      if cooling >= 0 { readers[cooling].releasePages() }
      readers.append(reader)
      return true
    }
    if !isKept { reader.close() }
  }
}

/// Counts the running requests, so that the end of a database can wait for them.
final class DatabaseUse: Sendable {
  private static let ended = 1 << 40
  private let count = Atomic<Int>(0)
  private let last = DispatchSemaphore(value: 0)

  /// Runs a request, or returns `nil` after the end.
  func during<Result>(_ request: () throws -> Result) rethrows -> Result? {
    let isOpen = count.add(1, ordering: .acquiringAndReleasing).newValue < Self.ended
    defer {
      if count.subtract(1, ordering: .acquiringAndReleasing).newValue == Self.ended {
        last.signal()
      }
    }
    return isOpen ? try request() : nil
  }

  /// Rejects new requests and waits for the running ones.
  ///
  /// - Parameter waits: Whether running requests end; those of a parent process do not in its child.
  /// - Returns: Whether this call ended the use, and not an earlier one, and no request is running.
  func end(waits: Bool = true) -> Bool {
    let before = count.bitwiseOr(Self.ended, ordering: .acquiringAndReleasing).oldValue
    guard before < Self.ended, before == 0 || waits else { return false }
    if before > 0 { last.wait() }
    return true
  }
}
