/// The system calls that this package makes on files, one requirement for each call.
///
/// ``SystemFileAccess`` makes them, and tests have types that fail some of them. Nothing here
/// repeats or completes a call: ``Folder`` and ``File`` do so above this layer, so that tests can
/// interrupt and shorten calls.
package protocol FileAccess: Sendable {
  func openFolder(_ path: String) throws(SystemError) -> Int32
  /// Creates a folder that only its owner can access.
  func makeFolder(_ path: String) throws(SystemError)
  /// Opens a folder within a folder without following a link.
  func openFolder(_ name: String, in folder: Int32) throws(SystemError) -> Int32
  /// Creates a folder within a folder that only its owner can access.
  func makeFolder(_ name: String, in folder: Int32) throws(SystemError)
  /// Returns the names in a folder, in no particular order.
  func names(in folder: Int32) throws(SystemError) -> [String]
  /// Opens a file of a folder without following a link.
  func open(_ name: String, in folder: Int32, for use: FileUse) throws(SystemError) -> Int32
  func close(_ descriptor: Int32)
  /// Reads bytes at an offset, and returns their number, or zero at the end of the file.
  func read(
    _ descriptor: Int32,
    into buffer: UnsafeMutableRawBufferPointer,
    at offset: Int
  ) throws(SystemError) -> Int
  /// Writes some of the bytes at an offset, and returns their number.
  func write(
    _ descriptor: Int32,
    from buffer: UnsafeRawBufferPointer,
    at offset: Int
  ) throws(SystemError) -> Int
  /// Syncs a file or folder to disk.
  func sync(_ descriptor: Int32) throws(SystemError)
  /// Syncs the content and size of a file to disk.
  func syncContent(_ descriptor: Int32) throws(SystemError)
  /// Renames a file in its folder, replacing any file with the new name.
  func rename(_ name: String, to newName: String, in folder: Int32) throws(SystemError)
  /// Adds a second, unused name of a file in its folder.
  func link(_ name: String, to newName: String, in folder: Int32) throws(SystemError)
  /// Removes an empty folder from a folder.
  func removeFolder(_ name: String, in folder: Int32) throws(SystemError)
  /// Removes a name from a folder.
  func unlink(_ name: String, in folder: Int32) throws(SystemError)
  /// Truncates or extends a file.
  func truncate(_ descriptor: Int32, to size: Int) throws(SystemError)
  /// Requests that the system drop a part of a file that needs no writing from its cache.
  func forget(_ descriptor: Int32, at offset: Int, count: Int)
  /// Sets the permission bits.
  func setMode(_ descriptor: Int32, to mode: UInt32) throws(SystemError)
  /// Returns the status of an open file.
  func status(of descriptor: Int32) throws(SystemError) -> FileStatus
  /// Returns the status of a name, without following a link, or `nil` if there is no such file.
  func status(of name: String, in folder: Int32) throws(SystemError) -> FileStatus?
  /// Returns the file that a name refers to, without following a link, and its size, or `nil` if there
  /// is no such file.
  ///
  /// The time of the last modification is requested only if it is wanted.
  func extent(
    of name: String,
    in folder: Int32,
    withTime: Bool
  ) throws(SystemError) -> FileExtent?
  /// Takes a lock without waiting, or returns `false` if another open file has it.
  func lock(_ descriptor: Int32, exclusively: Bool) throws(SystemError) -> Bool
  /// Releases a lock, which cannot fail for a lock that was taken.
  func unlock(_ descriptor: Int32)
  /// Takes, changes or releases a lock of the open file on a range without waiting, or returns
  /// `false` if there is a conflicting lock.
  func lock(_ descriptor: Int32, _ range: FileRange, _ kind: RangeLock) throws(SystemError) -> Bool
  /// Returns whether this process has a lock on a range that a close of any descriptor releases.
  func hasProcessLock(_ descriptor: Int32, _ range: FileRange) throws(SystemError) -> Bool
}

extension FileAccess {
  /// Returns the extent of a name from its complete status.
  package func extent(
    of name: String,
    in folder: Int32,
    withTime: Bool
  ) throws(SystemError) -> FileExtent? {
    guard let status = try status(of: name, in: folder) else { return nil }
    var extent = FileExtent(status)
    if !withTime { extent.modified = nil }
    return extent
  }
}

/// The purpose for which a file is opened.
package enum FileUse: Hashable, Sendable {
  /// For reading only.
  case reading
  /// For reading and writing an existing file.
  case updating
  /// For reading and writing a new file, which must not exist; only its owner can open it.
  case creating
  /// For reading and writing a file that is created if it does not exist.
  case opening
}
