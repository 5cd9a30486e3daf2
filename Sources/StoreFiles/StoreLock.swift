import Synchronization

/// A lock on a store against other open files of it, in this process or another.
///
/// The lock is the `flock` of a file beside the store that is never renamed or removed. The system
/// releases it when its holder ends for any reason. The file's text names its last holder, for
/// messages only.
package final class StoreLock: Sendable {
  /// The reason why a lock was not taken.
  package enum Failure: Error, Hashable, Sendable {
    /// Another holder has it; the string describes that holder.
    case busy(holder: String)
    /// The system failed.
    case file(FileError)
  }

  private let file: File
  private let identity: FileIdentity
  private let name: String
  private let process = ProcessMark.current

  deinit { release() }

  /// Takes the lock of a store.
  ///
  /// - Parameters:
  ///   - name: The store's file.
  ///   - folder: The folder of the store.
  ///   - exclusively: Whether to exclude all other holders, or only those that request an exclusive
  ///     lock.
  ///   - waitingMilliseconds: The time to wait for another holder, in pauses of at most 40
  ///     milliseconds.
  ///   - inTurn: Whether to queue behind those that are already waiting. It costs two system calls.
  ///     It matters if a holder releases the lock only to take it again, because an occasional
  ///     attempt would hardly ever find it free.
  /// - Throws: ``Failure/busy(holder:)`` after the wait, or ``Failure/file(_:)``.
  package init(
    of name: String,
    in folder: Folder,
    exclusively: Bool = true,
    waitingMilliseconds: Int = 0,
    inTurn: Bool = false
  ) throws(Failure) {
    let isTaken: Bool
    do throws(FileError) {
      self.name = FileName.lock(of: name)
      let opened = try folder.opened(self.name, for: .opening)
      (file, identity) = (opened.file, opened.status.identity)
      let queue = inTurn && waitingMilliseconds > 0 ? Queue(folder) : nil
      isTaken = try take(exclusively: exclusively, waiting: waitingMilliseconds, in: queue)
    } catch {
      throw .file(error)
    }
    guard isTaken else { throw .busy(holder: holder) }
  }

  /// Tries to take the lock until a time has passed, and returns whether it succeeded.
  private func take(
    exclusively: Bool,
    waiting milliseconds: Int,
    in queue: Queue? = nil
  ) throws(FileError) -> Bool {
    var queue = queue
    defer { queue?.leave() }
    var rest = milliseconds
    var pause = 1
    while true {
      // The last attempt is made regardless of the position in the queue.
      if queue?.isMyTurn() != false || rest <= 0 {
        if try file.tryLock(exclusively: exclusively) { return true }
      }
      if rest <= 0 { return false }
      Syscalls.pause(milliseconds: min(pause, rest))
      rest -= pause
      pause = queue?.pause(after: milliseconds - rest) ?? min(pause * 2, 20)
    }
  }

  /// Releases the lock before the end of the store, which must not use its files until it has the
  /// lock again.
  package func release() {
    // A child that was forked meanwhile has the same open file, and would release its parent's lock.
    if process.isCurrent { file.unlock() }
  }

  /// Takes the lock again after ``release()``, with others that share it.
  ///
  /// - Returns: Whether no other holder has the lock exclusively.
  package func takeAgain() -> Bool { (try? file.tryLock(exclusively: false)) == true }

  /// Takes the lock again after ``release()``, to exclude all other holders.
  ///
  /// - Parameters:
  ///   - folder: The folder of the store.
  ///   - waitingMilliseconds: The time to wait for another holder.
  /// - Returns: Whether others would find and take this lock; if not, it is released.
  /// - Throws: ``Failure/busy(holder:)`` after the wait, or ``Failure/file(_:)``.
  package func takeAgain(
    in folder: Folder,
    waitingMilliseconds: Int
  ) throws(Failure) -> Bool {
    do throws(FileError) {
      var isTaken = try file.tryLock(exclusively: true)
      if !isTaken { isTaken = try take(exclusively: true, waiting: waitingMilliseconds) }
      if isTaken {
        if try isInPlace(in: folder) { return true }
        release()
        return false
      }
    } catch {
      throw .file(error)
    }
    throw .busy(holder: holder)
  }

  /// Returns whether the lock is the one that others would find and take.
  ///
  /// - Parameter folder: The folder of the store.
  /// - Returns: Whether the file of the lock still has its name.
  /// - Throws: ``FileError`` if the system fails.
  package func isInPlace(in folder: Folder) throws(FileError) -> Bool {
    try folder.extent(of: name)?.identity == identity
  }

  /// The queue for the lock of a store: the next in the queue holds the lock of the folder.
  ///
  /// It determines who tries to take the lock, not who has the store. No guarantee is lost if
  /// folders cannot be locked, or if this folder is locked for another purpose.
  private struct Queue {
    private let folder: Folder
    private var isFirst = false
    private var looks = 0

    /// The maximum number of attempts that are made behind another: some tenths of a second.
    private static let maximumAttempts = 10

    init(_ folder: Folder) { self.folder = folder }

    mutating func isMyTurn() -> Bool {
      looks += 1
      if isFirst { return true }
      guard let isFree = try? folder.tryLock(exclusively: true) else { return true }
      isFirst = isFree
      return isFirst || looks > Self.maximumAttempts
    }

    /// Returns the pause before the next attempt, in milliseconds.
    ///
    /// The next in the queue tries often, so that the store is not idle for long. The others try
    /// more often the longer they have waited: the frequency doubles each half second, so that they
    /// get the next position when it becomes free.
    func pause(after waited: Int) -> Int { isFirst ? 4 : max(1, 40 >> min(waited / 500, 6)) }

    func leave() { if isFirst { folder.unlock() } }
  }

  /// The prefix of a holder's note.
  package static let noteBeginning = "process "

  /// Writes the description of the lock's holder, for messages to others.
  package func describeHolder(_ program: String) throws(FileError) {
    let text = Array(
      "\(Self.noteBeginning)\(Syscalls.processIdentifier), \(program)".utf8.prefix(200)
    )
    try file.truncate(to: 0)
    try file.write(text, at: 0)
  }

  private var holder: String {
    let unknown = "another process or connection"
    guard let size = try? file.status().size, size > 0, size <= 256,
      let bytes = try? file.bytes(at: 0, count: size),
      let text = String(validating: bytes, as: UTF8.self)
    else { return unknown }
    return text
  }
}

/// A mark that distinguishes a process from its forks, which inherit its open files.
///
/// A system call for the process identifier takes a tenth of the time of a fetch by key. A counter
/// that each fork increments in the child has the same effect.
package struct ProcessMark: Sendable {
  private let number: Int32

  /// Whether the calling process is the process of the mark.
  package var isCurrent: Bool { number == ProcessMark.current.number }

  /// The mark of the calling process.
  package static var current: ProcessMark {
    // If the system does not report forks, it is asked for the process identifier.
    ProcessMark(number: countsForks ? forks.load(ordering: .relaxed) : Syscalls.processIdentifier)
  }

  private static let forks = Atomic<Int32>(0)

  private static let countsForks: Bool = {
    // Initialized before any child reads it.
    forks.store(0, ordering: .relaxed)
    return Syscalls.tellOfForks { ProcessMark.noteFork() }
  }()

  private static func noteFork() { forks.add(1, ordering: .relaxed) }
}
