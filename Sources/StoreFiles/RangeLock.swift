/// A range of bytes of a file, which need not exist.
package struct FileRange: Hashable, Sendable {
  /// The offset of the first byte.
  package var start: Int
  /// The number of bytes.
  package var length: Int

  /// Creates a range.
  package init(start: Int, length: Int) {
    self.start = start
    self.length = length
  }
}

/// A kind of lock on a range of a file, owned by the open file itself.
///
/// A lock as `fcntl` usually gives it belongs to the process, which loses it when it closes any
/// descriptor of the file. This kind (`F_OFD_SETLK`) is released with the last descriptor of the open
/// file alone, and is inherited over `fork`. Both kinds conflict with each other.
package enum RangeLock: Hashable, Sendable {
  /// No lock.
  case none
  /// A lock that others may share.
  case shared
  /// A lock that nobody shares.
  case exclusive
}

extension File {
  /// Takes, changes or releases the lock of this open file on a range, without waiting.
  ///
  /// - Returns: Whether the file has the lock; false if another has a conflicting one.
  /// - Throws: ``FileError``, also where the system or the file system has no such locks.
  package func lock(_ range: FileRange, _ kind: RangeLock) throws(FileError) -> Bool {
    try perform(.lock, path: path) { () throws(SystemError) in
      try access.lock(descriptor, range, kind)
    }
  }

  /// Whether this process has a lock on a range that the close of any descriptor would release.
  ///
  /// False if another process has one as well, which the system may name in its place.
  package func hasProcessLock(_ range: FileRange) -> Bool {
    (try? access.hasProcessLock(descriptor, range)) ?? false
  }

  /// Releases the lock of the whole file.
  package func unlock() {
    access.unlock(descriptor)
  }
}
