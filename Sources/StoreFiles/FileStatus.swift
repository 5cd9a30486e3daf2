/// The identity of a file, regardless of its name and its content.
package struct FileIdentity: Hashable, Sendable {
  /// The device that the file is on.
  let device: UInt64
  /// The inode number of the file on its device.
  let inode: UInt64
}

package struct FileStatus: Hashable, Sendable {
  package var identity: FileIdentity
  /// The size in bytes.
  package var size: Int
  /// The time of the last modification in nanoseconds since 1970.
  package var modified: Int64
  /// The kind of the file.
  package var kind: Kind
  /// The permission bits.
  package var mode: UInt32
  /// The identifier of the user that owns the file.
  package var owner: UInt32
  /// The number of names that the file has.
  package var links: UInt64
  /// The number of bytes that the file takes on disk, which is less than its size if it has holes
  /// or is compressed.
  package var allocated: Int

  /// The kinds of files; all that no store uses are the same.
  package enum Kind: Hashable, Sendable {
    case file, folder, link, other
  }

  /// Whether it is a plain file, not a folder, link, pipe or device.
  package var isRegularFile: Bool { kind == .file }

  /// The code of the ``FileError`` of a store whose file this is, or `nil` for a plain file with
  /// one name.
  package var objection: Int32? {
    switch kind {
    case .file: links > 1 ? FileError.severalNames : nil
    case .folder: Syscalls.isFolder
    case .link: Syscalls.tooManyLinks
    case .other: FileError.unexpectedKind
    }
  }

  /// Whether every user may rename and remove the files in this folder, regardless of their owner.
  package var allowsReplacementByAnyone: Bool { mode & 0o002 != 0 && mode & 0o1000 == 0 }
}

/// The identity and the size of the file that a name refers to.
///
/// Requesting only these is cheaper for a file that is written repeatedly: if no process has read a
/// file's times, a file system need not write new times to disk with each sync.
package struct FileExtent: Hashable, Sendable {
  package var identity: FileIdentity
  /// The size in bytes.
  package var size: Int
  /// The time of the last modification in nanoseconds since 1970, or `nil` if it was not requested.
  package var modified: Int64?
  /// Whether something is mounted at the name: a mounted file has another name elsewhere.
  ///
  /// It is known on Linux 5.8 and later, and `false` elsewhere.
  package var isMounted = false
}

extension FileExtent {
  /// Creates the extent of a file with its time, as a request for both returns it.
  package init(_ status: FileStatus) {
    self.init(identity: status.identity, size: status.size, modified: status.modified)
  }
}
