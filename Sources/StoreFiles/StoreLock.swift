/// A lock on a store against other open files of it, in this process or another.
///
/// The lock is the `flock` of a file beside the store that is never renamed nor removed. The
/// system frees it when its holder ends, however that happens. The file's text says who held it
/// last, for messages only.
package final class StoreLock: Sendable {
  /// Why a lock was not taken.
  package enum Failure: Error, Hashable, Sendable {
    /// Another holder has it, with what is known of it.
    case busy(holder: String)
    /// The system refused.
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
  ///   - exclusively: Whether to keep everyone out, or only those who want that.
  ///   - waitingMilliseconds: How long to wait for another holder, in pauses of at most 40
  ///     milliseconds.
  ///   - inTurn: Whether to wait behind those who wait already. It costs two calls of the system,
  ///     and matters where a holder gives the lock back only to take it again: whoever looks for a
  ///     free lock now and then would hardly ever meet it.
  /// - Throws: ``Failure/busy(holder:)`` when the wait is over, or ``Failure/file(_:)``.
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
        // The last look is everybody's, wherever one stands.
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

  /// Returns whether the lock is the one that others would find and take.
  ///
  /// - Parameter folder: The folder of the store.
  /// - Returns: Whether the file of the lock still has its name.
  /// - Throws: ``FileError`` when the system refuses.
  package func isInPlace(in folder: Folder) throws(FileError) -> Bool {
    try folder.status(of: FileName.lock(of: name))?.isSameFile(as: file.status()) == true
  }

  /// Those who wait for the lock of a store: the lock of the folder is with the one whose turn is next.
  ///
  /// It decides who looks, not who has the store, so that nothing is lost where folders cannot be
  /// locked, or where somebody has locked this one for another purpose.
  private struct Queue {
    private let folder: Folder
    private var isFirst = false
    private var looks = 0

    /// How many looks one stands behind another at most: some tenths of a second.
    private static let mostLooks = 10

    init(_ folder: Folder) { self.folder = folder }

    mutating func isMyTurn() -> Bool {
      looks += 1
      if isFirst { return true }
      guard let isFree = try? folder.tryLock(exclusively: true) else { return true }
      isFirst = isFree
      return isFirst || looks > Self.mostLooks
    }

    /// How many milliseconds to wait for the next look.
    ///
    /// Whoever is next looks often, so that the store is not left alone for long; of the others those
    /// who have waited longer, twice as often each half second, so that the place is theirs when it
    /// is free.
    func pause(after waited: Int) -> Int { isFirst ? 4 : max(1, 40 >> min(waited / 500, 6)) }

    func leave() { if isFirst { folder.unlock() } }
  }

  /// What the note of a holder begins with.
  static let noteBeginning = "process "

  /// Writes who holds the lock, for the messages that others get.
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
