// Except for CFiles, this is the only file of the package that uses the platform's C library. Every
// function is one system call: it returns the result of the call, or throws the error number.

import CFiles

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The system's calls and constants, by the names that the rest of this target uses.
enum Syscalls {
  static let interrupted = EINTR
  static let notFound = ENOENT
  static let noSpace = ENOSPC
  static let quotaReached = EDQUOT
  static let fileTooLarge = EFBIG
  static let alreadyExists = EEXIST
  static let readOnly = EROFS
  static let accessDenied = EACCES
  static let notPermitted = EPERM
  static let tooManyLinks = ELOOP
  static let notFolder = ENOTDIR
  static let isFolder = EISDIR
  static let unsupported = [EINVAL, ENOSYS, ENOTSUP, EOPNOTSUPP, ENOLCK]

  static func message(_ code: Int32) -> String {
    guard let text = strerror(code) else { return "error \(code)" }
    return String(cString: text)
  }

  static var userIdentifier: UInt32 { geteuid() }

  static var processIdentifier: Int32 { getpid() }

  /// The descriptor of the folder from which the system resolves relative paths.
  static let workingFolder = AT_FDCWD

  /// Returns a path without symbolic links, or `nil` if there is no such file.
  static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Returns the path that a symbolic link contains, or `nil` if there is no such link.
  static func target(of link: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let bytes = buffer.baseAddress else { return nil }
      let count = readlink(link, bytes, buffer.count)
      guard count > 0 else { return nil }
      return String(decoding: UnsafeRawBufferPointer(buffer).prefix(count), as: UTF8.self)
    }
  }

  /// Registers a function that is called in each process that is forked from this one; returns
  /// `false` if that is impossible.
  static func tellOfForks(_ isForked: @convention(c) () -> Void) -> Bool {
    pthread_atfork(nil, nil, isForked) == 0
  }

  static func pause(milliseconds: Int) {
    usleep(UInt32(clamping: milliseconds * 1000))
  }
}

/// The actual file system.
package struct SystemFileAccess: FileAccess {
  private static let folder = O_RDONLY | O_DIRECTORY | O_CLOEXEC

  /// Creates access to the file system.
  package init() {}

  private func checked<Value: SignedInteger>(_ result: Value) throws(SystemError) -> Value {
    if result == -1 { throw SystemError(code: errno) }
    return result
  }

  /// Returns `nil` after a call that found no file of a name, or throws the error of the call.
  private func missing<Value>() throws(SystemError) -> Value? {
    if errno == ENOENT { return nil }
    throw SystemError(code: errno)
  }

  package func openFolder(_ path: String) throws(SystemError) -> Int32 {
    try checked(openat(AT_FDCWD, path, Self.folder, 0))
  }

  package func makeFolder(_ path: String) throws(SystemError) {
    _ = try checked(mkdir(path, 0o700))
  }

  package func openFolder(_ name: String, in folder: Int32) throws(SystemError) -> Int32 {
    try checked(openat(folder, name, Self.folder | O_NOFOLLOW, 0))
  }

  package func makeFolder(_ name: String, in folder: Int32) throws(SystemError) {
    _ = try checked(mkdirat(folder, name, 0o700))
  }

  package func open(
    _ name: String,
    in folder: Int32,
    for use: FileUse
  ) throws(SystemError) -> Int32 {
    let access =
      switch use {
      case .reading: O_RDONLY | O_NONBLOCK
      case .updating: O_RDWR | O_NONBLOCK
      case .creating: O_RDWR | O_CREAT | O_EXCL
      case .opening: O_RDWR | O_CREAT | O_NONBLOCK
      }
    return try checked(openat(folder, name, access | O_NOFOLLOW | O_CLOEXEC, 0o600))
  }

  package func close(_ descriptor: Int32) {
    #if canImport(Darwin)
      _ = Darwin.close(descriptor)
    #elseif canImport(Musl)
      _ = Musl.close(descriptor)
    #else
      _ = Glibc.close(descriptor)
    #endif
  }

  package func read(
    _ descriptor: Int32,
    into buffer: UnsafeMutableRawBufferPointer,
    at offset: Int
  ) throws(SystemError) -> Int {
    try checked(pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)))
  }

  package func write(
    _ descriptor: Int32,
    from buffer: UnsafeRawBufferPointer,
    at offset: Int
  ) throws(SystemError) -> Int {
    try checked(pwrite(descriptor, buffer.baseAddress, buffer.count, off_t(offset)))
  }

  /// Syncs to disk; plain fsync on Darwin stops at the drive's cache, F_FULLFSYNC does not.
  package func sync(_ descriptor: Int32) throws(SystemError) {
    #if canImport(Darwin)
      if fcntl(descriptor, F_FULLFSYNC) != -1 { return }
      if errno != ENOTSUP && errno != EINVAL { throw SystemError(code: errno) }
    #endif
    _ = try checked(fsync(descriptor))
  }

  /// Syncs the content and the size, but not the times.
  package func syncContent(_ descriptor: Int32) throws(SystemError) {
    #if canImport(Darwin)
      try sync(descriptor)
    #else
      _ = try checked(fdatasync(descriptor))
    #endif
  }

  package func rename(
    _ name: String,
    to newName: String,
    in folder: Int32
  ) throws(SystemError) {
    _ = try checked(renameat(folder, name, folder, newName))
  }

  package func link(
    _ name: String,
    to newName: String,
    in folder: Int32
  ) throws(SystemError) {
    _ = try checked(linkat(folder, name, folder, newName, 0))
  }

  package func removeFolder(_ name: String, in folder: Int32) throws(SystemError) {
    _ = try checked(unlinkat(folder, name, AT_REMOVEDIR))
  }

  package func unlink(_ name: String, in folder: Int32) throws(SystemError) {
    _ = try checked(unlinkat(folder, name, 0))
  }

  package func truncate(_ descriptor: Int32, to size: Int) throws(SystemError) {
    _ = try checked(ftruncate(descriptor, off_t(size)))
  }

  /// Gives advice to the system, whose failure does not matter.
  ///
  /// Darwin has no such call, and no file system that needs it.
  package func forget(_ descriptor: Int32, at offset: Int, count: Int) {
    #if !canImport(Darwin)
      _ = posix_fadvise(descriptor, off_t(offset), off_t(count), POSIX_FADV_DONTNEED)
    #endif
  }

  package func setMode(_ descriptor: Int32, to mode: UInt32) throws(SystemError) {
    _ = try checked(fchmod(descriptor, mode_t(truncatingIfNeeded: mode)))
  }

  package func status(of descriptor: Int32) throws(SystemError) -> FileStatus {
    var status = stat()
    _ = try checked(fstat(descriptor, &status))
    return FileStatus(status)
  }

  package func status(of name: String, in folder: Int32) throws(SystemError) -> FileStatus? {
    var status = stat()
    guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return try missing() }
    return FileStatus(status)
  }

  package func extent(
    of name: String,
    in folder: Int32,
    withTime: Bool
  ) throws(SystemError) -> FileExtent? {
    var extent = cfiles_extent()
    guard cfiles_extent_of(folder, name, withTime ? 1 : 0, &extent) == 0 else {
      return try missing()
    }
    return FileExtent(
      identity: FileIdentity(device: extent.device, inode: extent.inode),
      size: Int(extent.size),
      modified: withTime ? extent.modified : nil,
      isMounted: extent.is_mounted != 0
    )
  }

  /// Takes a lock of the open file without waiting, or returns `false` if another open file has it.
  package func lock(_ descriptor: Int32, exclusively: Bool) throws(SystemError) -> Bool {
    if flock(descriptor, (exclusively ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 { return true }
    if errno == EWOULDBLOCK { return false }
    throw SystemError(code: errno)
  }

  package func unlock(_ descriptor: Int32) {
    _ = flock(descriptor, LOCK_UN)
  }

  package func lock(
    _ descriptor: Int32,
    _ range: FileRange,
    _ kind: RangeLock
  ) throws(SystemError) -> Bool {
    let code =
      switch kind {
      case .none: CFILES_UNLOCKED
      case .shared: CFILES_SHARED
      case .exclusive: CFILES_EXCLUSIVE
      }
    let result = cfiles_lock_range(
      descriptor,
      Int32(code),
      Int64(range.start),
      Int64(range.length)
    )
    if result == 0 { return true }
    if errno == EAGAIN || errno == EACCES { return false }
    throw SystemError(code: errno)
  }

  package func hasProcessLock(
    _ descriptor: Int32,
    _ range: FileRange
  ) throws(SystemError) -> Bool {
    try checked(cfiles_range_owner(descriptor, Int64(range.start), Int64(range.length))) == getpid()
  }

  package func names(in folder: Int32) throws(SystemError) -> [String] {
    // readdir moves the descriptor's position and closedir closes it: use another open file.
    let copy = try checked(openat(folder, ".", Self.folder, 0))
    guard let stream = fdopendir(copy) else {
      let code = errno
      close(copy)
      throw SystemError(code: code)
    }
    defer { closedir(stream) }
    var names: [String] = []
    errno = 0
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    if errno != 0 { throw SystemError(code: errno) }
    return names
  }
}

extension FileStatus {
  fileprivate init(_ status: stat) {
    #if canImport(Darwin)
      let modified = status.st_mtimespec
    #else
      let modified = status.st_mtim
    #endif
    let kind: Kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .folder
      case S_IFLNK: .link
      default: .other
      }
    self.init(
      identity: FileIdentity(
        device: UInt64(truncatingIfNeeded: status.st_dev),
        inode: UInt64(truncatingIfNeeded: status.st_ino)
      ),
      size: Int(status.st_size),
      modified: Int64(modified.tv_sec) &* 1_000_000_000 &+ Int64(modified.tv_nsec),
      kind: kind,
      mode: UInt32(status.st_mode) & 0o7777,
      owner: status.st_uid,
      links: UInt64(truncatingIfNeeded: status.st_nlink),
      allocated: Int(clamping: status.st_blocks) &* 512
    )
  }
}
