/// What the system knows about a file.
package struct FileStatus: Hashable, Sendable {
  /// The device that the file is on.
  package var device: UInt64
  /// The file's number on its device.
  package var inode: UInt64
  /// The size in bytes.
  package var size: Int
  /// The time of the last change in nanoseconds since 1970.
  package var modified: Int64
  /// Whether it is a plain file: no folder, link, pipe or device.
  package var isRegularFile: Bool
  /// The permission bits.
  package var mode: UInt32
  /// The number of the user that owns the file.
  package var owner: UInt32
  /// The number of names that the file has.
  package var links: UInt64
  /// The number of bytes that the file takes on the disk; fewer than its size where it has holes or
  /// the file system compresses it.
  package var allocated: Int

  /// Whether everybody may rename and remove what is in this folder, whosever it is.
  package var letsEverybodyReplaceNames: Bool { mode & 0o002 != 0 && mode & 0o1000 == 0 }

  /// Whether both are the same file, whatever is in it.
  package func isSameFile(as other: FileStatus) -> Bool {
    device == other.device && inode == other.inode
  }

  /// Whether both are the same file with the same size and time of change.
  package func isUnchanged(since other: FileStatus) -> Bool {
    isSameFile(as: other) && size == other.size && modified == other.modified
  }
}

/// Which file a name leads to, and how large that is.
///
/// To ask for nothing else costs less where the file is written again and again: a file system that
/// knows that nobody has seen a file's times need not write new ones to the medium with each sync.
package struct FileExtent: Hashable, Sendable {
  /// The device that the file is on.
  package var device: UInt64
  /// The file's number on its device.
  package var inode: UInt64
  /// The size in bytes.
  package var size: Int
  /// Whether something is mounted at the name: a file that is has another name elsewhere.
  ///
  /// Known on Linux 5.8 and later, false elsewhere.
  package var isMounted = false

  /// Whether this is the same file as another status says, whatever is in it.
  package func isSameFile(as other: FileStatus) -> Bool {
    device == other.device && inode == other.inode
  }

  /// Whether both are the same file, whatever is in it.
  package func isSameFile(as other: FileExtent) -> Bool {
    device == other.device && inode == other.inode
  }
}

extension FileExtent {
  init(_ status: FileStatus) {
    self.init(device: status.device, inode: status.inode, size: status.size)
  }
}
