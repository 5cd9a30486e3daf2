import Synchronization

/// An open folder, through which all files of a store are accessed.
///
/// It remains the folder that was opened, whatever happens to its path (``extent(of:byPath:withTime:)``
/// detects that). No operation follows a symbolic link at a name within it.
package final class Folder: Sendable {
  /// The path, for messages.
  package let path: String
  /// The prefix of a path before a name in the folder.
  private let beginning: String
  /// The prefix of a name for a lookup by path: the system resolves an absolute path from the root,
  /// regardless of the folder.
  private let lookupBeginning: String
  let access: any FileAccess
  let descriptor: Int32
  /// Whether a sync of the descriptor has failed, after which another sync proves nothing.
  private let hasFailedSync = Atomic(false)

  /// Opens a folder.
  ///
  /// - Parameters:
  ///   - path: The folder's path; links are followed here, and only here.
  ///   - create: Whether to create the folder, accessible to its owner only, if there is none.
  ///   - access: The system calls to use.
  /// - Throws: ``FileError`` if the system fails.
  package init(
    path: String,
    create: Bool = false,
    access: any FileAccess = SystemFileAccess()
  ) throws(FileError) {
    self.path = path
    beginning = Self.beginning(of: path)
    lookupBeginning = Self.isAbsolute(path) ? beginning : ""
    self.access = access
    let open = { () throws(FileError) -> Int32 in
      try perform(.openFolder, path: path) { () throws(SystemError) in
        try access.openFolder(path)
      }
    }
    do throws(FileError) {
      descriptor = try open()
    } catch {
      guard create, error.isNotFound else { throw error }
      try Self.makeFolder(path, access: access)
      descriptor = try open()
    }
  }

  /// Opens a folder within another one, without following a link.
  ///
  /// - Throws: ``FileError`` if the system fails, or if the name is not a folder.
  package init(_ name: String, in parent: Folder) throws(FileError) {
    path = parent.path(of: name)
    beginning = Self.beginning(of: path)
    lookupBeginning = Self.isAbsolute(path) ? beginning : ""
    access = parent.access
    descriptor = try perform(.openFolder, path: parent.path(of: name)) {
      () throws(SystemError) in
      try parent.access.openFolder(name, in: parent.descriptor)
    }
  }

  deinit {
    access.close(descriptor)
  }

  /// Creates a folder and its ancestors, each on disk before the next.
  private static func makeFolder(
    _ path: String,
    access: any FileAccess
  ) throws(FileError) {
    let parent = parentPath(of: path)
    let above = try Folder(path: parent, create: parent != path, access: access)
    do throws(FileError) {
      try perform(.makeFolder, path: path) { () throws(SystemError) in
        try access.makeFolder(path)
      }
    } catch {
      if !error.isAlreadyExisting { throw error }
    }
    try above.sync()
  }

  /// Returns the path without its last component; the root's parent is the root.
  static func parentPath(of path: String) -> String {
    // By bytes: a slash with a combining mark is one character, but still a slash to the system.
    var rest = path.utf8[...]
    while rest.count > 1, rest.last == UInt8(ascii: "/") { rest.removeLast() }
    return FileName.split(String(decoding: rest, as: UTF8.self)).folder
  }

  /// Returns the path of a name in this folder, for messages.
  package func path(of name: String) -> String { beginning + name }

  private static func beginning(of path: String) -> String {
    path.utf8.last == UInt8(ascii: "/") ? path : path + "/"
  }

  private static func isAbsolute(_ path: String) -> Bool { path.utf8.first == UInt8(ascii: "/") }

  package func status() throws(FileError) -> FileStatus {
    try perform(.status, path: path) { () throws(SystemError) in
      try access.status(of: descriptor)
    }
  }

  /// Returns the status of a name, or `nil` if there is none.
  package func status(of name: String) throws(FileError) -> FileStatus? {
    try perform(.status, path: path(of: name)) { () throws(SystemError) in
      try access.status(of: name, in: descriptor)
    }
  }

  /// Returns the file that a name refers to, and its size, or `nil` if there is none.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - byPath: Whether to look at the folder's path, which detects that the folder was moved, or that
  ///     another folder has its path.
  ///   - withTime: Whether to look at the file's time, too.
  /// - Returns: The file's identity and size.
  /// - Throws: The error of the system.
  package func extent(
    of name: String,
    byPath: Bool = false,
    withTime: Bool = false
  ) throws(FileError) -> FileExtent? {
    try perform(.status, path: path(of: name)) { () throws(SystemError) in
      try access.extent(
        of: byPath ? lookupBeginning + name : name,
        in: descriptor,
        withTime: withTime
      )
    }
  }

  /// Returns the names in the folder, sorted.
  package func names() throws(FileError) -> [String] {
    try perform(.list, path: path) { () throws(SystemError) in
      try access.names(in: descriptor)
    }
    .sorted()
  }

  /// Opens a plain file of this folder.
  ///
  /// - Parameters:
  ///   - name: The file's name.
  ///   - use: The purpose of opening the file.
  ///   - isPinned: Whether to pin the file (``PinnedFiles``), which the caller must unpin.
  /// - Returns: The open file.
  /// - Throws: ``FileError`` if the system fails, or if the name is a link, a folder, a pipe, a
  ///   device, a database that this process has open (unless `isPinned`), or, for writing, a file
  ///   with several names.
  package func open(
    _ name: String,
    for use: FileUse,
    isPinned: Bool = false
  ) throws(FileError) -> File {
    try opened(name, for: use, isPinned: isPinned).file
  }

  /// Opens a plain file of this folder, and returns it with the status that was examined.
  func opened(
    _ name: String,
    for use: FileUse,
    isPinned: Bool = false
  ) throws(FileError) -> (file: File, status: FileStatus) {
    let path = path(of: name)
    let operation: FileError.Operation = use == .creating ? .create : .open
    let opened = try perform(operation, path: path) { () throws(SystemError) in
      try access.open(name, in: descriptor, for: use)
    }
    let file = File(path: path, descriptor: opened, access: access)
    let status = try file.status()
    if !isPinned, PinnedFiles.keep(file, status) {
      throw FileError(operation, path: path, code: FileError.openDatabase)
    }
    if let objection = status.objection, use != .reading || objection != FileError.severalNames {
      throw FileError(operation, path: path, code: objection)
    }
    if isPinned { PinnedFiles.pin(status) }
    return (file, status)
  }

  /// Opens a plain file of this folder, or returns `nil` if there is none.
  package func openIfPresent(_ name: String, for use: FileUse) throws(FileError) -> File? {
    do throws(FileError) {
      return try open(name, for: use)
    } catch {
      if error.isNotFound { return nil }
      throw error
    }
  }

  /// Renames a file, replacing any file with the new name.
  package func rename(_ name: String, to newName: String) throws(FileError) {
    try perform(.rename, path: path(of: newName)) { () throws(SystemError) in
      try access.rename(name, to: newName, in: descriptor)
    }
  }

  /// Removes a name, if it exists.
  package func remove(_ name: String) throws(FileError) {
    do throws(FileError) {
      try perform(.unlink, path: path(of: name)) { () throws(SystemError) in
        try access.unlink(name, in: descriptor)
      }
    } catch {
      if !error.isNotFound { throw error }
    }
  }

  /// Syncs the folder's names to disk.
  ///
  /// A descriptor whose sync failed is not synced again: later calls reopen the folder. The
  /// operations that the failed call should have made durable must be repeated before.
  package func sync() throws(FileError) {
    guard hasFailedSync.load(ordering: .relaxed) else {
      return try sync(descriptor)
    }
    let fresh = try perform(.openFolder, path: path) { () throws(SystemError) in
      try access.openFolder(".", in: descriptor)
    }
    defer { access.close(fresh) }
    try sync(fresh)
  }

  private func sync(_ descriptor: Int32) throws(FileError) {
    do throws(FileError) {
      try perform(.syncFolder, path: path) { () throws(SystemError) in
        try access.sync(descriptor)
      }
    } catch {
      hasFailedSync.store(true, ordering: .relaxed)
      throw error
    }
  }

  /// Creates a folder within this one, accessible to its owner only, if there is none.
  package func makeFolder(_ name: String) throws(FileError) {
    do throws(FileError) {
      try makeNewFolder(name)
    } catch {
      if !error.isAlreadyExisting { throw error }
    }
  }

  /// Creates a folder within this one, accessible to its owner only, which must not exist.
  func makeNewFolder(_ name: String) throws(FileError) {
    try perform(.makeFolder, path: path(of: name)) { () throws(SystemError) in
      try access.makeFolder(name, in: descriptor)
    }
  }

  /// Removes an empty folder within this one.
  func removeFolder(_ name: String) throws(FileError) {
    try perform(.unlink, path: path(of: name)) { () throws(SystemError) in
      try access.removeFolder(name, in: descriptor)
    }
  }

  /// Takes the folder's lock without waiting, or returns `false` if another open folder has it.
  package func tryLock(exclusively: Bool) throws(FileError) -> Bool {
    try perform(.lock, path: path) { () throws(SystemError) in
      try access.lock(descriptor, exclusively: exclusively)
    }
  }

  /// Releases the folder's lock.
  package func unlock() {
    access.unlock(descriptor)
  }
}
