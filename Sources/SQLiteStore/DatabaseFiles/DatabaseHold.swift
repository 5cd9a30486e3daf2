import StoreFiles
import StoreProtocol
import Synchronization

/// This process's hold on a database file: descriptors of its own, whose locks no other code can
/// drop.
///
/// SQLite considers itself the last one to close a file if no other process has a lock on it. It
/// then checkpoints and removes the log. Its own locks belong to the process, which loses them when
/// it closes any descriptor of the file, as a copy of the file does (SQLite's page *How To
/// Corrupt*, 2.2). Another process that closes the file then removes the log that this process
/// writes to.
///
/// So the hold takes the locks once more, on open files of its own. It locks the range of the
/// database file that all readers share, and the byte of the index that marks it as in use. Systems
/// without such locks (``RangeLock``) have SQLite's alone.
///
/// There is one hold for each file in a process, for any number of open stores. It is inherited
/// over `fork`. SQLite's locks are not, which is why a child cannot open the file again.
final class DatabaseHold: Sendable {
  /// The bytes of a database file that SQLite locks for reading.
  private static let readers = FileRange(start: 0x4000_0002, length: 510)
  /// The byte of the log's index that SQLite locks while it uses the index.
  private static let indexUsers = FileRange(start: 128, length: 1)

  private struct Entry {
    let hold: DatabaseHold
    /// The number of claims.
    var users = 1
    /// The number of claims whose stores have connections; the others wait for the sidecar lock.
    var connected = 0
  }

  private struct Descriptors {
    var database: File?
    var index: File?
    /// Whether the file system is known to have no locks of open files.
    var hasNoLocks = false
  }

  private static let holds = Mutex<[FileIdentity: Entry]>([:])

  /// The file that is held.
  let status: FileStatus
  private let process = ProcessMark.current
  private let descriptors: Mutex<Descriptors>

  private init(_ database: File, _ status: FileStatus) {
    self.status = status
    descriptors = Mutex(Descriptors(database: database))
  }

  private var key: FileIdentity { status.identity }

  /// Returns the hold on the file of a status, and creates it if there is none.
  ///
  /// Each call is balanced by one of ``release(_:)``.
  ///
  /// - Throws: ``DataStoreError/storeClosed`` in a process that inherited the hold, ``FileError``
  ///   if the system refuses.
  static func claim(
    _ file: DatabaseFile,
    _ status: FileStatus,
    for use: FileUse
  ) throws -> DatabaseHold {
    let key = status.identity
    if let existing = try existing(key, file.path) { return existing }
    let database = try file.folder.open(file.name, for: use, isPinned: true)
    func release() {
      var files = [database]
      PinnedFiles.unpin(status, &files, isInUse: false)
    }
    do {
      let status = try database.status()
      guard status.identity == key else { throw StoreErrors.replaced(file.path) }
      let made = DatabaseHold(database, status)
      let isNew = holds.withLock { holds -> Bool in
        guard holds[key] == nil else { return false }
        holds[key] = Entry(hold: made)
        return true
      }
      if isNew { return made }
    } catch {
      release()
      throw error
    }
    // Another thread was faster.
    release()
    return try claim(file, status, for: use)
  }

  private static func existing(_ key: FileIdentity, _ path: String) throws -> DatabaseHold? {
    let found = holds.withLock { holds -> DatabaseHold? in
      guard let entry = holds[key] else { return nil }
      if entry.hold.process.isCurrent { holds[key]?.users += 1 }
      return entry.hold
    }
    guard let found else { return nil }
    guard found.process.isCurrent else { throw StoreErrors.inherited(path) }
    return found
  }

  /// Whether the file system supports locks of open files, as far as that was tried.
  var hasLocks: Bool { descriptors.withLock { !$0.hasNoLocks } }

  /// The number of stores of this process that have connections to the file.
  var connectedCount: Int { Self.holds.withLock { $0[key]?.connected ?? 0 } }

  /// Counts the store of one claim as connected, from before its first connection is opened.
  func noteConnection() {
    Self.holds.withLock { $0[key]?.connected += 1 }
  }

  /// Returns the open database file.
  func open() throws -> File {
    guard let file = descriptors.withLock({ $0.database }) else {
      throw DataStoreError(.storeClosed, "the store is closed")
    }
    return file
  }
}

extension DatabaseHold {
  /// Takes the locks, for a connection that has the file and its log open.
  ///
  /// - Throws: ``DataStoreError/storeBusy`` if another connection holds an exclusive lock,
  ///   ``FileError`` if the system refuses.
  func takeLocks(of file: DatabaseFile) throws {
    let database = try open()
    var rest = file.patience
    while try !lock(database, Self.readers, .shared) {
      guard rest > 0 else { throw StoreErrors.busy(file.path) }
      rest -= file.pause()
    }
    try takeIndexLock(of: file)
  }

  /// Locks the index of the log, if there is one.
  private func takeIndexLock(of file: DatabaseFile) throws {
    let existing = descriptors.withLock { $0.index }
    // Opened once only: closing a descriptor here would drop SQLite's locks on the index.
    let found = try existing ?? file.folder.openIfPresent(file.indexName, for: .reading)
    guard let index = found else { return }
    descriptors.withLock { $0.index = index }
    // A process that makes the index anew holds it briefly, and recognizes this process by the
    // other lock.
    _ = try lock(index, Self.indexUsers, .shared)
  }

  /// Runs a body while no other store has the file open, and keeps all others out meanwhile.
  ///
  /// Claims without connections do not count: two stores of one process may be opening the file, one
  /// of them waiting for the sidecar lock of the other.
  ///
  /// - Parameters:
  ///   - isHeld: Whether the caller is a connected store, which has closed its connections for this.
  ///   - body: The work.
  /// - Returns: The result of the body, or `nil` if another store has the file open, or the file
  ///   system has no locks that could tell (``hasLocks``).
  /// - Throws: The body's errors, and ``FileError`` when the system refuses.
  func alone<Result>(isHeld: Bool, _ body: () throws -> Result) throws -> Result? {
    guard connectedCount == (isHeld ? 1 : 0) else { return nil }
    let database = try open()
    guard try lock(database, Self.readers, .exclusive), hasLocks else { return nil }
    defer { _ = try? database.lock(Self.readers, isHeld ? .shared : .none) }
    return try body()
  }

  /// Releases the lock on the index while a body opens a connection that will make it anew.
  func withoutIndexLock(of file: DatabaseFile, _ body: () throws -> Void) throws {
    let index = descriptors.withLock { $0.index }
    _ = try index?.lock(Self.indexUsers, .none)
    defer { try? takeIndexLock(of: file) }
    try body()
  }

  /// Releases one claim.
  ///
  /// The last release drops the locks before the body closes SQLite's last connection, and closes
  /// the descriptors after it.
  ///
  /// - Parameters:
  ///   - isConnected: Whether ``noteConnection()`` was called for the claim.
  ///   - closeConnections: Closes the connections of the store.
  func release(isConnected: Bool = true, _ closeConnections: () -> Void) {
    defer {
      if isConnected {
        Self.holds.withLock { holds in
          if holds[key]?.hold === self { holds[key]?.connected -= 1 }
        }
      }
    }
    let isLast = Self.holds.withLock { holds -> Bool in
      guard holds[key]?.hold === self, let users = holds[key]?.users else { return true }
      if users > 1 { holds[key]?.users -= 1 } else { holds[key] = nil }
      return users == 1
    }
    guard isLast else { return closeConnections() }
    var files = descriptors.withLock { descriptors -> [File] in
      defer { descriptors = Descriptors() }
      return [descriptors.database, descriptors.index].compactMap { $0 }
    }
    // A child has the same open files, and would release its parent's locks.
    if process.isCurrent {
      for (file, range) in zip(files, [Self.readers, Self.indexUsers]) {
        _ = try? file.lock(range, .none)
      }
    }
    closeConnections()
    // The program may have connections of its own, whose locks would be lost with the descriptors.
    let isInUse = process.isCurrent && files.first?.hasProcessLock(Self.readers) == true
    PinnedFiles.unpin(status, &files, isInUse: isInUse)
  }

  private func lock(_ file: File, _ range: FileRange, _ kind: RangeLock) throws(FileError) -> Bool {
    do throws(FileError) {
      return try file.lock(range, kind)
    } catch  where error.isUnsupported {
      descriptors.withLock { $0.hasNoLocks = true }
      return true
    }
  }
}
