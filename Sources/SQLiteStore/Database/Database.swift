import Foundation
import StoreFiles
import StoreProtocol
import Synchronization

/// The connections to one database: one that writes, and a pool of those that read.
///
/// Invariants:
/// 1. A save holds the sidecar lock from before its `BEGIN IMMEDIATE` to after its checkpoint, so
///    that no checkpoint of the store's processes runs beside a commit (SQLite before 3.51.3 may
///    lose the commit then).
/// 2. A connection is used by one thread at a time: the writer under its lock, a reader by whoever
///    took it out of the pool.
/// 3. A connection that a failure has spoiled is closed, not used again.
/// 4. After a commit that failed and was not taken back nothing is read or written, and the sidecar
///    lock stays, until it is (`Database+Doubt.swift`).
/// 5. A database in memory has one connection, which reads and writes under a recursive lock.
final class Database: Sendable {
  /// The log is folded into the file when it has more pages than this.
  static let longestLog = 1_000

  /// A log that was folded keeps its length, up to so many pages, for the next commits to write over.
  ///
  /// The file system has then nothing of its own to sync for them, which is half of what a durable
  /// commit costs where it has (Documentation/Performance.md).
  static let longestKeptLog = 4 * longestLog

  /// How many idle readers are kept, and how many of them with the pages that they have read.
  private static let idleReaders = 8
  private static let warmReaders = 2

  let place: DatabasePlace

  /// The files of large values, nil where rows name none.
  let files: ValueFiles?
  let options: ConnectionOptions
  let writer: WriterSlot
  /// Whether the writer has a doubt.
  let isInDoubt = Atomic(false)
  private let readers = Mutex<[Connection]>([])
  /// The readers that bodies of ``holdingReader(_:)`` hold.
  private let held = HeldStates<Connection>()
  private let use = DatabaseUse()
  private let process = ProcessMark.current
  /// The hold on the file and the files that were opened; nil for a database in memory.
  let opened: OpenedFiles?

  /// Takes over the connection with which the database was opened, and the hold on its file.
  init(
    _ connection: Connection,
    place: DatabasePlace,
    opened: OpenedFiles?,
    hasFiles: Bool
  ) {
    self.place = place
    self.files = hasFiles ? connection.options.files : nil
    self.options = connection.options
    self.writer = WriterSlot(connection)
    self.opened = opened
  }

  deinit {
    close()
  }

  /// Completes what is under way and closes the connections; every use after it is refused.
  func close() {
    if use.end() { closeConnections() }
  }

  /// Whether the database takes no changes.
  var isReadOnly: Bool { options.role == .readOnlyFile }

  /// Closes the connections; the last one of a file folds the log into it and removes the log.
  private func closeConnections() {
    closeIdleReaders()
    guard let opened else { return writer.close() }
    // The files of a parent that goes on are no business of its child, and a log of which nobody knows
    // what it holds is left to the next opening.
    guard case .file(let file) = place, !isReadOnly, process.isCurrent, (try? settle(file)) != nil
    else { return opened.hold.release { writer.close() } }
    // A busy lock means another process lives: then that one will fold the log.
    let lock = try? StoreLock(of: file.name, in: file.folder)
    if lock != nil { writer.withSlot { prepareToFold($0, file) } }
    opened.hold.release {
      if lock != nil { letFoldAtClose(file) }
      writer.close()
    }
  }

  /// Closes the readers that nobody uses.
  func closeIdleReaders() {
    readers.withLock { readers in
      for reader in readers { reader.close() }
      readers.removeAll()
    }
  }

  /// Refuses to write where nothing may be written, or in a process that inherited the connections.
  func checkUse() throws {
    try checkProcess()
    guard !isReadOnly else {
      throw DataStoreError(
        .storeReadOnly,
        "the store was opened for reading only",
        file: place.path
      )
    }
  }

  /// Refuses a process that inherited the connections: SQLite's locks are not inherited.
  func checkProcess() throws {
    guard !use.hasEnded else {
      throw DataStoreError(
        .storeClosed,
        "the store was closed; open it again",
        file: place.path
      )
    }
    guard process.isCurrent else { throw StoreErrors.inherited(place.path) }
  }
}

extension Database {
  /// Runs a request, for which a close waits.
  func used<Result>(_ task: StoreErrors.Task, _ body: () throws -> Result) throws -> Result {
    try StoreErrors.translating(task, file: place.path) {
      // A request that comes too late is refused by its body.
      _ = use.enter()
      defer { use.leave() }
      return try body()
    }
  }

  /// Lends a connection for one statement, which sees one state by itself.
  func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try used(.reading) {
      try checkProcess()
      guard case .file(let file) = place else { return try writer.withConnection(body) }
      if let held = held.current { return try body(held) }
      try settle(file)
      // Before the state is chosen whose rows may name files.
      try files?.beginReading(patience: file.patience)
      defer { files?.endReading() }
      let reader = try takeReader()
      defer { giveBack(reader) }
      return try body(reader)
    }
  }

  /// Lends a connection for several statements, which all see one state.
  func readSnapshot<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try read { connection in try snapshot(on: connection) { try body(connection) } }
  }

  /// Has the statements of a body, on a connection that is lent, see one state.
  func snapshot<Result>(
    on connection: Connection,
    _ body: () throws -> Result
  ) throws -> Result {
    // In memory nobody else writes while the connection is lent; one that is held has a snapshot.
    guard case .file = place, connection.isInAutocommit else { return try body() }
    return try connection.snapshot(body)
  }

  /// Has all reads that a body makes on its thread see one state.
  ///
  /// They take one transaction together, and with it the locks of one: a statement by itself spends as
  /// much time on these as on a row.
  func holdingReader(_ body: () throws -> Void) throws {
    guard case .file = place, held.current == nil else { return try body() }
    try readSnapshot { try held.hold($0, during: body) }
  }

  /// An idle reader, or a new one, for the caller to keep and to close.
  func takeReader() throws -> Connection {
    if let idle = readers.withLock({ $0.popLast() }) { return idle }
    var options = options
    if options.role == .writer { options.role = .reader }
    guard case .file(let file) = place else { return try Connection(options) }
    try checkFile(file)
    let reader = try Connection(options)
    // Once more: the path may have come to name another file just before it was opened.
    try checkFile(file)
    return reader
  }

  private func giveBack(_ reader: Connection) {
    guard !reader.isSpoiled else { return reader.close() }
    reader.mayHavePages = true
    let isKept = readers.withLock { readers in
      guard readers.count < Self.idleReaders else { return false }
      let cooling = readers.count - Self.warmReaders
      if cooling >= 0 { readers[cooling].releasePages() }
      readers.append(reader)
      return true
    }
    if !isKept { reader.close() }
  }
}

extension Database {
  /// Runs a body in one transaction, durable when this returns.
  ///
  /// - Parameters:
  ///   - save: What the save is asked for by where its outcome is unknown.
  ///   - checksReferences: Whether SQLite looks after references, which a body that removes
  ///     everything need not have.
  ///   - body: What to write.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws, and then nothing was stored;
  ///   ``DataStoreError/outcomeUnknown`` when the commit failed and could not be taken back.
  func write<Result>(
    _ save: UUID = UUID(),
    checksReferences: Bool = true,
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    try used(.saving) {
      try checkUse()
      guard case .file(let file) = place else {
        return try writer.withConnection { connection in
          try connection.withReferenceChecks(checksReferences) {
            try Self.transaction(on: connection, body)
          }
        }
      }
      return try writer.withSlot { slot in
        try settle(file, before: save)
        let lock = try file.lock()
        defer { withExtendedLifetime(lock) {} }
        let connection = try slot.usableConnection()
        try checkFiles(file, writingOn: connection)
        let result = try connection.withReferenceChecks(checksReferences) {
          try commit(body, on: connection, CommitDoubt(save: save, lock: lock))
        }
        try confirmLog(file, on: connection)
        foldLogIfLong(slot, file)
        return result
      }
    }
  }

  static func transaction<Result>(
    on connection: Connection,
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    try connection.transaction {
      try connection.beginSave()
      let result = try body(connection)
      try connection.countSave()
      return result
    }
  }
}
