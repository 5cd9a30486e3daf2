import Foundation
import StoreFiles
import Synchronization

/// The file system with some of its calls done in another way, as no system promises not to.
package final class OddFileAccess: FileAccess {
  /// What is odd.
  package enum Oddity: Sendable {
    /// Writes take no byte and say so.
    case writesNothing
    /// Folders within folders are said to be made and are not.
    case makesNoFolder
    /// A folder is opened instead of any other that is specified by its path.
    case opens(String)
    /// Open files have no locks on ranges.
    case hasNoRangeLocks
    /// The first lock of a range conflicts with one of another process, which then releases it.
    case conflictsOnce
    /// Something happens before a file of a name is opened for the first time.
    case isLate(String, @Sendable () -> Void)
  }

  private let system = SystemFileAccess()
  private let oddity: Oddity
  private let hasHappened = Mutex(false)

  /// Creates an access with an oddity.
  package init(_ oddity: Oddity) {
    self.oddity = oddity
  }

  private func isFirst() -> Bool {
    hasHappened.withLock { happened in
      defer { happened = true }
      return !happened
    }
  }

  package func openFolder(_ path: String) throws(SystemError) -> Int32 {
    if case .opens(let other) = oddity { return try system.openFolder(other) }
    return try system.openFolder(path)
  }

  package func makeFolder(_ name: String, in folder: Int32) throws(SystemError) {
    if case .makesNoFolder = oddity { return }
    try system.makeFolder(name, in: folder)
  }

  package func write(
    _ descriptor: Int32,
    from buffer: UnsafeRawBufferPointer,
    at offset: Int
  ) throws(SystemError) -> Int {
    if case .writesNothing = oddity { return 0 }
    return try system.write(descriptor, from: buffer, at: offset)
  }
}

// The rest as it is.
extension OddFileAccess {
  package func makeFolder(_ path: String) throws(SystemError) { try system.makeFolder(path) }

  package func openFolder(_ name: String, in folder: Int32) throws(SystemError) -> Int32 {
    try system.openFolder(name, in: folder)
  }

  package func names(in folder: Int32) throws(SystemError) -> [String] {
    try system.names(in: folder)
  }

  package func open(
    _ name: String,
    in folder: Int32,
    for use: FileUse
  ) throws(SystemError) -> Int32 {
    if case .isLate(name, let happen) = oddity, isFirst() { happen() }
    return try system.open(name, in: folder, for: use)
  }

  package func close(_ descriptor: Int32) { system.close(descriptor) }

  package func read(
    _ descriptor: Int32,
    into buffer: UnsafeMutableRawBufferPointer,
    at offset: Int
  ) throws(SystemError) -> Int {
    try system.read(descriptor, into: buffer, at: offset)
  }

  package func sync(_ descriptor: Int32) throws(SystemError) { try system.sync(descriptor) }

  package func syncContent(_ descriptor: Int32) throws(SystemError) {
    try system.syncContent(descriptor)
  }

  package func rename(
    _ name: String,
    to newName: String,
    in folder: Int32
  ) throws(SystemError) {
    try system.rename(name, to: newName, in: folder)
  }

  package func link(
    _ name: String,
    to newName: String,
    in folder: Int32
  ) throws(SystemError) {
    try system.link(name, to: newName, in: folder)
  }

  package func removeFolder(_ name: String, in folder: Int32) throws(SystemError) {
    try system.removeFolder(name, in: folder)
  }

  package func unlink(_ name: String, in folder: Int32) throws(SystemError) {
    try system.unlink(name, in: folder)
  }

  package func truncate(_ descriptor: Int32, to size: Int) throws(SystemError) {
    try system.truncate(descriptor, to: size)
  }

  package func forget(_ descriptor: Int32, at offset: Int, count: Int) {
    system.forget(descriptor, at: offset, count: count)
  }

  package func setMode(_ descriptor: Int32, to mode: UInt32) throws(SystemError) {
    try system.setMode(descriptor, to: mode)
  }

  package func status(of descriptor: Int32) throws(SystemError) -> FileStatus {
    try system.status(of: descriptor)
  }

  package func status(of name: String, in folder: Int32) throws(SystemError) -> FileStatus? {
    try system.status(of: name, in: folder)
  }

  package func lock(_ descriptor: Int32, exclusively: Bool) throws(SystemError) -> Bool {
    try system.lock(descriptor, exclusively: exclusively)
  }

  package func unlock(_ descriptor: Int32) { system.unlock(descriptor) }

  package func lock(
    _ descriptor: Int32,
    _ range: FileRange,
    _ kind: RangeLock
  ) throws(SystemError) -> Bool {
    if case .hasNoRangeLocks = oddity { throw SystemError(code: ENOTSUP) }
    if case .conflictsOnce = oddity, isFirst() { return false }
    return try system.lock(descriptor, range, kind)
  }

  package func hasProcessLock(
    _ descriptor: Int32,
    _ range: FileRange
  ) throws(SystemError) -> Bool {
    try system.hasProcessLock(descriptor, range)
  }
}
