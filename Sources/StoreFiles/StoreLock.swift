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
  private let name: String
  private let process = ProcessMark.current

  deinit {
    // A child that was forked meanwhile has the same open file, and would keep the lock.
    if process.isCurrent { file.unlock() }
  }

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
    do throws(FileError) {
      let file = try folder.open(FileName.lock(of: name), for: .opening)
      self.file = file
      self.name = name
      var queue = inTurn && waitingMilliseconds > 0 ? Queue(folder) : nil
      defer { queue?.leave() }
      var rest = waitingMilliseconds
      var pause = 1
      while true {
        // The last attempt is made regardless of the position in the queue.
        if queue?.isMyTurn() != false || rest <= 0 {
          if try file.tryLock(exclusively: exclusively) { return }
        }
        if rest <= 0 { break }
        Syscalls.pause(milliseconds: min(pause, rest))
        rest -= pause
        pause = queue?.pause(after: waitingMilliseconds - rest) ?? min(pause * 2, 20)
      }
    } catch {
      throw .file(error)
    }
    throw .busy(holder: Self.holder(in: file))
  }

  /// Releases the lock before the end of the store, which must not use its files until it has the
  /// lock again.
  package func release() { file.unlock() }

  /// Takes the lock again after ``release()``, with others that share it.
  ///
  /// - Returns: Whether no other holder has the lock exclusively.
  package func takeAgain() -> Bool { (try? file.tryLock(exclusively: false)) == true }

  /// Returns whether the lock is the one that others would find and take.
  ///
  /// - Parameter folder: The folder of the store.
  /// - Returns: Whether the file of the lock still has its name.
  /// - Throws: ``FileError`` if the system fails.
  package func isInPlace(in folder: Folder) throws(FileError) -> Bool {
    try folder.status(of: FileName.lock(of: name))?.identity == file.status().identity
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

  private static func holder(in file: File) -> String {
    let unknown = "another process or connection"
    guard let size = try? file.status().size, size > 0, size <= 256,
      let bytes = try? file.bytes(at: 0, count: size),
      let text = String(validating: bytes, as: UTF8.self)
    else { return unknown }
    return text
  }
}
