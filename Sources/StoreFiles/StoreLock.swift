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

  /// Takes the lock of a store.
  ///
  /// - Parameters:
  ///   - name: The store's file.
  ///   - folder: The folder of the store.
  ///   - exclusively: Whether to keep everyone out, or only those who want that.
  ///   - waitingMilliseconds: How long to wait for another holder, in whole pauses of at most
  ///     20 milliseconds.
  /// - Throws: ``Failure/busy(holder:)`` when the wait is over, or ``Failure/file(_:)``.
  package init(
    of name: String,
    in folder: Folder,
    exclusively: Bool = true,
    waitingMilliseconds: Int = 0
  ) throws(Failure) {
    do throws(FileError) {
      let file = try folder.open(FileName.lock(of: name), for: .opening)
      var rest = waitingMilliseconds
      var pause = 1
      var isLocked = try file.tryLock(exclusively: exclusively)
      while !isLocked, rest > 0, !PlantedFault.noLock.isPlanted {
        Syscalls.pause(milliseconds: min(pause, rest))
        rest -= pause
        pause = min(pause * 2, 20)
        isLocked = try file.tryLock(exclusively: exclusively)
      }
      self.file = file
      if isLocked || PlantedFault.noLock.isPlanted { return }
    } catch {
      throw .file(error)
    }
    throw .busy(holder: Self.holder(in: file))
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
