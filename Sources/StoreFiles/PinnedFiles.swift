import Synchronization

/// The files whose descriptors this process must not close, because a library has locks on them.
///
/// SQLite's locks belong to the process, which loses them when it closes any descriptor of the
/// file, regardless of who opened it. Such a descriptor stays open until the file is unpinned.
package enum PinnedFiles {
  private struct Pin {
    var users = 0
    var kept: [File] = []
  }

  private static let pins = Mutex<[FileIdentity: Pin]>([:])

  package static func contains(_ file: FileExtent) -> Bool {
    pins.withLock { $0[file.identity] != nil }
  }

  /// Adds a pin to a file.
  static func pin(_ status: FileStatus) {
    pins.withLock { $0[status.identity, default: Pin()].users += 1 }
  }

  /// Removes a pin, and closes descriptors of the file unless it has other pins.
  ///
  /// - Parameters:
  ///   - status: The file.
  ///   - files: Open files of it or of its companions, which the caller releases.
  ///   - isInUse: Whether the process still has locks on it that are not the caller's. Then the
  ///     descriptors stay open until the file is pinned and unpinned again.
  package static func unpin(_ status: FileStatus, _ files: inout [File], isInUse: Bool) {
    pins.withLock { pins in
      // Closed within the lock, so that no other thread pins the file meanwhile.
      guard var pin = pins[status.identity] else { return files.removeAll() }
      pin.users -= 1
      if pin.users > 0 || isInUse {
        pin.kept += files
        pins[status.identity] = pin
      } else {
        pins[status.identity] = nil
      }
      files.removeAll()
    }
  }

  /// Keeps a file open as long as it is pinned.
  ///
  /// - Returns: Whether the file is pinned.
  static func keep(_ file: File, _ status: FileStatus) -> Bool {
    pins.withLock { pins in
      guard pins[status.identity] != nil else { return false }
      pins[status.identity]?.kept.append(file)
      return true
    }
  }
}
