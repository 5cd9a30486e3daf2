import Synchronization

/// An open folder, through which all files of a store are reached.
///
/// The folder stays the one that was opened, whatever happens to its path (``extentByPath(of:)`` notices
/// that), and no operation follows a symbolic link at a name within it.
package final class Folder: Sendable {
  /// The path, for messages.
  package let path: String
  /// The part of a path before a name in the folder.
  private let beginning: String
  let access: any FileAccess
  let descriptor: Int32
  /// Whether a sync of the descriptor has failed, after which another one would say nothing.
  private let hasFailedSync = Atomic(false)

  /// Opens a folder.
  ///
  /// - Parameters:
  ///   - path: The folder's path; links are followed here, and only here.
  ///   - create: Whether to make the folder, open to its owner alone, where there is none.
  ///   - access: The system calls to use.
  /// - Throws: ``FileError`` when the system refuses.
  package init(
    path: String,
    create: Bool = false,
    access: any FileAccess = SystemFileAccess()
  ) throws(FileError) {
    self.path = path
    beginning = Self.beginning(of: path)
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
  /// - Throws: ``FileError`` when the system refuses, or when the name is no folder.
  package init(_ name: String, in parent: Folder) throws(FileError) {
    path = parent.path(of: name)
    beginning = Self.beginning(of: path)
    access = parent.access
    descriptor = try perform(.openFolder, path: parent.path(of: name)) {
      () throws(SystemError) in
      try parent.access.openFolder(name, in: parent.descriptor)
    }
  }

  deinit {
    access.close(descriptor)
  }

  /// Makes a folder and those above it, each on the medium before the next.
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

  /// The path without its last component; the root's is the root.
  static func parentPath(of path: String) -> String {
    // By bytes: a slash with a combining mark is one character, and still a slash to the system.
    var rest = path.utf8[...]
    while rest.count > 1, rest.last == UInt8(ascii: "/") { rest.removeLast() }
    guard let slash = rest.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == rest.startIndex ? "/" : String(decoding: rest[..<slash], as: UTF8.self)
  }

  /// The path of a name in this folder, for messages.
  package func path(of name: String) -> String { beginning + name }

  private static func beginning(of path: String) -> String {
    path.utf8.last == UInt8(ascii: "/") ? path : path + "/"
  }

  /// What the system knows about the folder.
  package func status() throws(FileError) -> FileStatus {
    try perform(.status, path: path) { () throws(SystemError) in
      try access.status(of: descriptor)
    }
  }

  /// What the system knows about a name; nil where there is none.
  package func status(of name: String) throws(FileError) -> FileStatus? {
    try asked(of: name) { () throws(SystemError) in
      try access.status(of: name, in: descriptor)
    }
  }

  /// Which file a name leads to, and its size; nil where there is none.
  package func extent(of name: String) throws(FileError) -> FileExtent? {
    try asked(of: name) { () throws(SystemError) in
      try access.extent(of: name, in: descriptor)
    }
  }

  /// Returns what the system knows about the file at the path of a name, or `nil` if there is none.
  ///
  /// Unlike ``status(of:)``, this notices that the folder was moved, or that another has its path.
  package func statusByPath(of name: String) throws(FileError) -> FileStatus? {
    try asked(of: name) { () throws(SystemError) in
      try access.status(of: pathName(of: name), in: descriptor)
    }
  }

  /// Returns which file is at the path of a name, and its size, or `nil` if there is none.
  ///
  /// Unlike ``extent(of:)``, this notices that the folder was moved, or that another has its path.
  package func extentByPath(of name: String) throws(FileError) -> FileExtent? {
    try asked(of: name) { () throws(SystemError) in
      try access.extent(of: pathName(of: name), in: descriptor)
    }
  }

  /// The system looks up an absolute path from the root, whatever folder it is given with it.
  private func pathName(of name: String) -> String {
    path.utf8.first == UInt8(ascii: "/") ? path(of: name) : name
  }

  private func asked<Value>(
    of name: String,
    _ call: () throws(SystemError) -> Value
  ) throws(FileError) -> Value? {
    do throws(FileError) {
      return try perform(.status, path: path(of: name), call)
    } catch {
      if error.isNotFound { return nil }
      throw error
    }
  }

  /// The names in the folder, sorted.
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
  ///   - use: What to open it for.
  ///   - isPinned: Whether to pin the file (``PinnedFiles``), which the caller takes back.
  /// - Returns: The open file.
  /// - Throws: ``FileError`` when the system refuses, or when the name is a link, a folder, a
  ///   pipe, a device, a database that this process has open (unless `isPinned`), or, for writing,
  ///   a file that has another name as well.
  package func open(
    _ name: String,
    for use: FileUse,
    isPinned: Bool = false
  ) throws(FileError) -> File {
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
    guard status.isRegularFile, use == .reading || status.links <= 1 else {
      throw FileError(operation, path: path, code: FileError.unexpectedKind)
    }
    if isPinned { PinnedFiles.pin(status) }
    return file
  }

  /// Opens a plain file of this folder, or is nil where there is none.
  package func openIfPresent(_ name: String, for use: FileUse) throws(FileError) -> File? {
    do throws(FileError) {
      return try open(name, for: use)
    } catch {
      if error.isNotFound { return nil }
      throw error
    }
  }

  /// Gives a file another name, replacing what has that name.
  package func rename(_ name: String, to newName: String) throws(FileError) {
    try perform(.rename, path: path(of: newName)) { () throws(SystemError) in
      try access.rename(name, to: newName, in: descriptor)
    }
  }

  /// Removes a name; does nothing where there is none.
  package func remove(_ name: String) throws(FileError) {
    do throws(FileError) {
      try perform(.unlink, path: path(of: name)) { () throws(SystemError) in
        try access.unlink(name, in: descriptor)
      }
    } catch {
      if !error.isNotFound { throw error }
    }
  }

  /// Brings the folder's names to the medium.
  ///
  /// A descriptor whose sync failed is not asked again: later calls open the folder anew. What the
  /// failed call was to bring there must be done once more before.
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

  /// Makes a folder within this one, open to its owner alone; does nothing where there is one.
  package func makeFolder(_ name: String) throws(FileError) {
    do throws(FileError) {
      try perform(.makeFolder, path: path(of: name)) { () throws(SystemError) in
        try access.makeFolder(name, in: descriptor)
      }
    } catch {
      if !error.isAlreadyExisting { throw error }
    }
  }

  /// Takes the folder's lock without waiting; false when another open folder has it.
  package func tryLock(exclusively: Bool) throws(FileError) -> Bool {
    try perform(.lock, path: path) { () throws(SystemError) in
      try access.lock(descriptor, exclusively: exclusively)
    }
  }

  /// Gives the folder's lock back.
  package func unlock() {
    access.unlock(descriptor)
  }
}
