import Synchronization

/// The files beside a store with values that are too large for their rows.
///
/// They are in a separate folder, `NAME.files`, which is created for the first of them. A file is
/// written once, under a name that was never used, and contains the bytes of one value.
///
/// Invariants:
/// 1. A file is complete, and on disk if the policy requires it, before a row names it: the store
///    calls ``syncNames()`` before it commits.
/// 2. A file is removed only when certainly no row names it, and while no read is active in any
///    process that could see an older state. Reads share the folder's lock; removal has it
///    exclusively.
/// 3. Files that a kill or a failure leaves behind are not named by any row, and are removed when
///    the store is next opened for writing.
/// 4. A file is removed only if this store wrote it. Its name proves it (``ValueFileNaming``) or,
///    for a name of an earlier version, its bytes are those that a row of the store named.
package final class ValueFiles: Sendable {
  struct State {
    var folder: Folder?
    /// The status of the folder when it was opened, which identifies it.
    var folderStatus: FileStatus?
    /// The names of the store's files.
    var naming: ValueFileNaming
    /// Whether the folder's own name is on disk.
    var isFolderSynced = false
    /// The number of active reads in this process.
    var readers = 0
    /// Whether the reads have the lock; they have none if there was no folder when they started.
    var isLocked = false
    /// The remaining files that no row names any more.
    var leftovers: [Leftover] = []
    /// The files that no row names any more once the last saves are on disk.
    var deferred: [Leftover] = []
  }

  /// A file to remove, with the reference of its last row, if any.
  struct Leftover {
    let name: String
    var reference: FileReference?
  }

  /// The name of the empty file which marks that files in the folder may not be on disk.
  package static let unsyncedMark = "unsynced"

  /// The number of bytes that are written, read or checksummed at a time.
  static let pieceSize = 1 << 20

  /// The number of pending removals from which on the store should make its saves durable.
  private static let mostDeferred = 32

  let parent: Folder
  /// The folder's name.
  package let name: String
  let policy: SyncPolicy
  /// Whether other processes, or other stores of this process, also use the files.
  let isShared: Bool
  /// The maximum size of a value that is written or read.
  package let maximumSize: Int
  let state: Mutex<State>

  /// Creates an object for the folder of a store's values, without opening or creating anything.
  ///
  /// - Parameters:
  ///   - store: The store's file.
  ///   - parent: The folder of the store.
  ///   - policy: The required durability of files before rows name them.
  ///   - isShared: Whether other processes, or other stores of this process, also use them.
  ///   - maximumSize: The maximum size of a value that is written or read.
  ///   - owner: The store's identifier, if it is known; see ``setOwner(_:)``.
  package init(
    of store: String,
    in parent: Folder,
    policy: SyncPolicy,
    isShared: Bool = true,
    maximumSize: Int = 1 << 30,
    owner: String = ""
  ) {
    self.parent = parent
    self.isShared = isShared
    self.maximumSize = maximumSize
    self.name = FileName.values(of: store)
    self.policy = policy
    state = Mutex(State(naming: ValueFileNaming(store: owner)))
  }

  /// Sets the store's identifier, which is known after the store has been read.
  package func setOwner(_ identifier: String) {
    state.withLock { $0.naming = ValueFileNaming(store: identifier) }
  }

  /// Returns the folder, or `nil` if there is none.
  ///
  /// - Throws: ``FileError`` if the system fails, or if the name is a link or not a folder.
  func openedFolder(_ state: inout State) throws(FileError) -> Folder? {
    if let folder = state.folder { return folder }
    do throws(FileError) {
      let folder = try Folder(name, in: parent)
      state.folderStatus = try folder.status()
      state.folder = folder
    } catch {
      if !error.isNotFound { throw error }
    }
    return state.folder
  }

  /// Throws unless the open folder is the one at its path: a file in any other folder is lost to
  /// the rows.
  private func checkFolder(_ state: State) throws(FileError) {
    guard let status = state.folderStatus else { return }
    guard let found = try parent.extent(of: name), found.identity == status.identity else {
      throw FileError(.openFolder, path: parent.path(of: name), code: FileError.replaced)
    }
  }

  /// Returns the folder, and creates it if there is none.
  ///
  /// - Throws: ``FileError``, which is ``FileError/isReplaced`` if the open folder was moved.
  func madeFolder() throws(FileError) -> Folder {
    try state.withLock { (state) throws(FileError) in
      if let folder = try openedFolder(&state) {
        try checkFolder(state)
        if state.isFolderSynced { return folder }
      }
      try parent.makeFolder(name)
      if policy == .disk { try parent.sync() }
      state.isFolderSynced = true
      guard let folder = try openedFolder(&state) else {
        throw FileError(.openFolder, path: parent.path(of: name), code: Syscalls.notFound)
      }
      return folder
    }
  }
}

extension ValueFiles {
  /// Writes a value to a new file.
  ///
  /// The value is read directly from its memory, in pieces.
  ///
  /// - Throws: ``FileError`` if the system fails; the file is then removed, or swept later.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) -> FileReference {
    let folder = try madeFolder()
    // Each time, because a program that syncs may have removed the marker meanwhile.
    if policy == .system { _ = try folder.open(Self.unsyncedMark, for: .opening) }
    let name = state.withLock { $0.naming.newName() }
    do throws(FileError) {
      let file = try folder.open(name, for: .creating)
      var checksum = CRC32C()
      var offset = 0
      while offset < bytes.count {
        let end = min(offset + Self.pieceSize, bytes.count)
        let piece = UnsafeRawBufferPointer(rebasing: bytes[offset..<end])
        checksum.update(piece)
        try file.write(piece, at: offset)
        offset = end
      }
      if policy == .disk { try file.sync() }
      guard
        let reference = FileReference(name: name, size: bytes.count, checksum: checksum.value)
      else { throw FileError(.create, path: folder.path(of: name), code: FileError.unexpectedKind) }
      return reference
    } catch {
      if !error.isAlreadyExisting { try? folder.remove(name) }
      throw error
    }
  }

  /// Syncs the names of new files to disk; to be called before rows with them are committed.
  ///
  /// - Throws: ``FileError``, which is ``FileError/isReplaced`` if the folder was moved.
  package func syncNames() throws(FileError) {
    try state.withLock { (state) throws(FileError) in
      try checkFolder(state)
      if policy == .disk { try state.folder?.sync() }
    }
  }

  /// Syncs the files of programs that do not sync to disk.
  ///
  /// Call it before a program that syncs commits rows based on theirs. It costs one system call
  /// unless there is such a file.
  ///
  /// - Throws: ``FileError`` if the system fails; the next call tries again.
  package func syncExisting() throws(FileError) {
    guard policy == .disk else { return }
    guard let folder = try folder(), try folder.status(of: Self.unsyncedMark) != nil else { return }
    for name in try names() { try folder.open(name, for: .reading).sync() }
    try folder.sync()
    try parent.sync()
    try folder.remove(Self.unsyncedMark)
  }

  /// Checks that the folder's name, if it exists, refers to a folder.
  ///
  /// - Throws: ``FileError`` for a link or anything else that is not a folder.
  package func checkFolder() throws(FileError) {
    _ = try folder()
  }

  /// Returns the folder, or `nil` if there is none.
  func folder() throws(FileError) -> Folder? {
    try state.withLock { (state) throws(FileError) in try openedFolder(&state) }
  }

  /// Returns the names in the folder that can be names of values.
  package func names() throws(FileError) -> [String] {
    try folder()?.names().filter(FileReference.isName) ?? []
  }

  /// Returns the names in the folder that this store created.
  package func ownNames() throws(FileError) -> [String] {
    let naming = state.withLock { $0.naming }
    return try names().filter(naming.isOwn)
  }

  /// Removes files of this store that no row names, as soon as no read can need them.
  ///
  /// Call it with the store's lock held, so that no save is active. Files that cannot be removed
  /// are removed when the store is next opened for writing.
  ///
  /// - Parameters:
  ///   - names: The names of files.
  ///   - references: The references of rows, until now, to other files.
  ///   - isDurable: Whether to remove them now, or once the last saves are on disk.
  package func remove(
    _ names: some Sequence<String>,
    _ references: some Sequence<FileReference> = [],
    isDurable: Bool = true
  ) {
    let leftovers =
      names.map { Leftover(name: $0) }
      + references.map { Leftover(name: $0.name, reference: $0) }
    state.withLock { state in
      guard isDurable else { return state.deferred += leftovers }
      state.leftovers += leftovers
      removeLeftovers(&state)
    }
  }

  /// Records that all saves so far are on disk.
  package func noteDurable() {
    state.withLock { state in
      state.leftovers += state.deferred
      state.deferred = []
      removeLeftovers(&state)
    }
  }

  /// Whether enough removals are pending that saves should be made durable now.
  package var shouldBecomeDurable: Bool {
    state.withLock { $0.deferred.count >= Self.mostDeferred }
  }

  func removeLeftovers(_ state: inout State) {
    guard state.readers == 0, !state.leftovers.isEmpty,
      let folder = try? openedFolder(&state),
      !isShared || (try? folder.tryLock(exclusively: true)) == true
    else { return }
    for leftover in state.leftovers where isOwn(leftover, state, folder) {
      try? folder.remove(leftover.name)
    }
    state.leftovers = []
    if isShared { folder.unlock() }
  }

  /// Returns whether this store wrote a file, which must be a plain file of this user.
  ///
  /// Names of version 1 prove nothing. A file with such a name must have been named by a row, and
  /// is read.
  private func isOwn(_ leftover: Leftover, _ state: State, _ folder: Folder) -> Bool {
    guard FileReference.isName(leftover.name),
      let status = try? folder.status(of: leftover.name),
      status.isRegularFile, status.owner == Syscalls.userIdentifier
    else { return false }
    if state.naming.isOwn(leftover.name) { return true }
    guard let reference = leftover.reference, status.size == reference.size,
      let file = try? folder.open(reference.name, for: .reading)
    else { return false }
    return (try? Self.check(file, reference)) != nil
  }
}
