/// An open file.
///
/// Reads and writes are complete: an interrupted or partial call is continued. A file closes itself
/// when the last reference to it is released.
package final class File: Sendable {
  /// The path, for messages.
  package let path: String
  let access: any FileAccess
  let descriptor: Int32

  init(path: String, descriptor: Int32, access: any FileAccess) {
    self.path = path
    self.descriptor = descriptor
    self.access = access
  }

  deinit {
    access.close(descriptor)
  }

  package func status() throws(FileError) -> FileStatus {
    try perform(.status, path: path) { () throws(SystemError) in
      try access.status(of: descriptor)
    }
  }

  /// Fills a buffer from an offset.
  ///
  /// - Throws: ``FileError`` if the system fails or the file ends before the buffer is full.
  package func read(
    into buffer: UnsafeMutableRawBufferPointer,
    at offset: Int
  ) throws(FileError) {
    var done = 0
    while done < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = try perform(.read, path: path) { () throws(SystemError) in
        try access.read(descriptor, into: rest, at: offset + done)
      }
      guard count > 0 else { throw FileError(.read, path: path, code: FileError.unexpectedEnd) }
      done += count
    }
  }

  /// Reads bytes from an offset.
  package func bytes(at offset: Int, count: Int) throws(FileError) -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: count) {
      (buffer, initialized) throws(FileError) in
      try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
      initialized = count
    }
  }

  /// Writes all bytes of a buffer at an offset.
  ///
  /// If this method throws, any part of the bytes may have been written.
  package func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(FileError) {
    var done = 0
    while done < buffer.count {
      let rest = UnsafeRawBufferPointer(rebasing: buffer[done...])
      let count = try perform(.write, path: path) { () throws(SystemError) in
        try access.write(descriptor, from: rest, at: offset + done)
      }
      guard count > 0 else { throw FileError(.write, path: path, code: FileError.unexpectedEnd) }
      done += count
    }
  }

  package func write(_ bytes: [UInt8], at offset: Int) throws(FileError) {
    try bytes.withUnsafeBufferPointer { (buffer) throws(FileError) in
      try write(UnsafeRawBufferPointer(buffer), at: offset)
    }
  }

  /// Syncs the file to disk.
  ///
  /// After a failure, this file must not be synced again: the system drops data that it could not
  /// write, and the next call succeeds without it.
  package func sync() throws(FileError) {
    try perform(.sync, path: path) { () throws(SystemError) in try access.sync(descriptor) }
  }

  /// Syncs the content and the size to disk, but not the times; see ``sync()``.
  package func syncContent() throws(FileError) {
    try perform(.sync, path: path) { () throws(SystemError) in
      try access.syncContent(descriptor)
    }
  }

  /// Truncates or extends the file.
  package func truncate(to size: Int) throws(FileError) {
    try perform(.truncate, path: path) { () throws(SystemError) in
      try access.truncate(descriptor, to: size)
    }
  }

  /// Requests that the system drop a part of the file from its cache, as far as it is on disk or
  /// was discarded.
  ///
  /// Later reads of the part come from the disk.
  ///
  /// - Parameters:
  ///   - offset: The start of the part.
  ///   - count: The length of the part, which may extend beyond the end of the file. Cache pages
  ///     are dropped as a whole or not at all.
  package func forget(at offset: Int, count: Int) {
    access.forget(descriptor, at: offset, count: count)
  }

  /// Sets the permission bits.
  package func setMode(to mode: UInt32) throws(FileError) {
    try perform(.setMode, path: path) { () throws(SystemError) in
      try access.setMode(descriptor, to: mode)
    }
  }

  /// Takes the file's lock without waiting, or returns `false` if another open file has it.
  package func tryLock(exclusively: Bool) throws(FileError) -> Bool {
    try perform(.lock, path: path) { () throws(SystemError) in
      try access.lock(descriptor, exclusively: exclusively)
    }
  }

  /// Releases the file's lock.
  package func unlock() {
    access.unlock(descriptor)
  }
}

/// Makes a call, repeats it while a signal interrupts it, and adds the operation and the path to
/// its error.
func perform<Value>(
  _ operation: FileError.Operation,
  path: @autoclosure () -> String,
  _ call: () throws(SystemError) -> Value
) throws(FileError) -> Value {
  while true {
    do throws(SystemError) {
      return try call()
    } catch {
      if error.code == Syscalls.interrupted { continue }
      throw FileError(operation, path: path(), code: error.code)
    }
  }
}
