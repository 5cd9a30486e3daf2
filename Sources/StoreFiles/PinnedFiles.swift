import Synchronization

/// The files of which this process closes no descriptor, since a library has locks on them.
///
/// SQLite's locks belong to the process, which loses them when it closes any descriptor of the file,
/// whoever opened it. A descriptor that was opened nevertheless stays open until the file is unpinned.
package enum PinnedFiles {
  private struct Key: Hashable {
    let device: UInt64
    let inode: UInt64

    init(_ status: FileStatus) {
      device = status.device
      inode = status.inode
    }

    init(_ extent: FileExtent) {
      device = extent.device
      inode = extent.inode
    }
  }

  private struct Pin {
    var users = 0
    var kept: [File] = []
  }

  private static let pins = Mutex<[Key: Pin]>([:])

  /// Whether a file is pinned.
  package static func contains(_ file: FileExtent) -> Bool {
    pins.withLock { $0[Key(file)] != nil }
  }

  /// Pins a file once more.
  static func pin(_ status: FileStatus) {
    pins.withLock { $0[Key(status), default: Pin()].users += 1 }
  }

  /// Takes back one pin, and closes descriptors of the file unless it is pinned elsewhere.
  ///
  /// - Parameters:
  ///   - status: The file.
  ///   - files: Open files of it or of its companions, which the caller gives up.
  ///   - isInUse: Whether the process still has locks on it that are not the caller's. The descriptors
  ///     stay open then, until the file is pinned and unpinned again.
  package static func unpin(_ status: FileStatus, _ files: inout [File], isInUse: Bool) {
    pins.withLock { pins in
      // Closed within the lock, so that nobody pins the file meanwhile.
      guard var pin = pins[Key(status)] else { return files.removeAll() }
      pin.users -= 1
      if pin.users > 0 || isInUse {
        pin.kept += files
        pins[Key(status)] = pin
      } else {
        pins[Key(status)] = nil
      }
      files.removeAll()
    }
  }

  /// Keeps a file open as long as it is pinned.
  ///
  /// - Returns: Whether it is pinned.
  static func keep(_ file: File, _ status: FileStatus) -> Bool {
    pins.withLock { pins in
      guard pins[Key(status)] != nil else { return false }
      pins[Key(status)]?.kept.append(file)
      return true
    }
  }
}
