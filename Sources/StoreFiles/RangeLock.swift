/// A range of bytes of a file, which need not exist.
package struct FileRange: Hashable, Sendable {
  /// The offset of the first byte.
  package var start: Int
  /// The number of bytes.
  package var length: Int

  package init(start: Int, length: Int) {
    self.start = start
    self.length = length
  }
}

/// A kind of lock on a range of a file, owned by the open file itself.
///
/// The usual lock of `fcntl` belongs to the process, which loses it when it closes any descriptor
/// of the file. This kind (`F_OFD_SETLK`) is released only with the last descriptor of the open
/// file, and is inherited over `fork`. Both kinds conflict with each other.
package enum RangeLock: Hashable, Sendable {
  /// No lock.
  case none
  /// A lock that others may share.
  case shared
  /// An exclusive lock.
  case exclusive
}

extension File {
  /// Takes, changes or releases the lock of this open file on a range, without waiting.
  ///
  /// - Returns: Whether the file has the lock; `false` if there is a conflicting lock.
  /// - Throws: ``FileError``, also if the system or the file system does not support such locks.
  package func lock(_ range: FileRange, _ kind: RangeLock) throws(FileError) -> Bool {
    try perform(.lock, path: path) { () throws(SystemError) in
      try access.lock(descriptor, range, kind)
    }
  }

  /// Returns whether this process has a lock on a range that the close of any descriptor would
  /// release.
  ///
  /// It returns `false` if another process also has one, which the system may report instead.
  package func hasProcessLock(_ range: FileRange) -> Bool {
    (try? access.hasProcessLock(descriptor, range)) ?? false
  }
}
