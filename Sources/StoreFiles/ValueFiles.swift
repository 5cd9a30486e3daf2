import Synchronization

/// The files beside a store that hold values which are too large for their rows.
///
/// They are in a folder of their own, `NAME.files`, which is made for the first of them. A file is
/// written once, under a name that was never used, and holds the bytes of one value.
///
/// Invariants:
/// 1. A file is whole, and on the medium where the policy asks for it, before a row names it: the
///    store calls ``settle()`` before it commits.
/// 2. A file is removed only when no row names it for certain, and while no read is under way in
///    any process that could see an older state: reads share the folder's lock, removal has it
///    alone.
/// 3. What a kill or a failure leaves behind is named by no row, and is removed when the store is
///    next opened for writing.
/// 4. A file is removed only if this store wrote it: its name proves it (``ValueFileNaming``), or,
///    for a name of an earlier version, its bytes are those that a row of the store named.
package final class ValueFiles: Sendable {
  struct State {
    var folder: Folder?
    /// The folder as it was when it was opened: which one it is.
    var folderStatus: FileStatus?
    /// The names of the store's files.
    var naming: ValueFileNaming
    /// Whether the folder's own name is on the medium.
    var isSettled = false
    /// How many reads are under way in this process.
    var readers = 0
    /// Whether they have the lock; they have none where there was no folder when they began.
    var isLocked = false
    /// Files that no row names any more, and that are still there.
    var leftovers: [Leftover] = []
    /// Files that no row names any more once the last saves are on the medium.
    var deferred: [Leftover] = []
  }

  /// A file that can go, with the reference that a row had to it, if any.
  struct Leftover {
    let name: String
    var reference: FileReference?
  }

  /// The name of the empty file that says that files in the folder may not be on stable storage.
  package static let unsyncedMark = "unsynced"

  /// How many bytes are written, read or summed up at a time.
  static let pieceSize = 1 << 20

  /// How many removals wait for the medium before the store should bring it there.
  private static let mostDeferred = 32

  let parent: Folder
  /// The folder's name.
  package let name: String
  let policy: SyncPolicy
  /// Whether other processes, or other stores of this one, use the files as well.
  let isShared: Bool
  /// The size of the largest value that is written or read.
  package let maximumSize: Int
  let state: Mutex<State>

  /// Names the folder of a store's values; nothing is opened or made.
  ///
  /// - Parameters:
  ///   - store: The store's file.
  ///   - parent: The folder of the store.
  ///   - policy: How far files are brought before rows name them.
  ///   - isShared: Whether other processes, or other stores of this one, use them as well.
  ///   - maximumSize: The size of the largest value that is written or read.
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

  /// Sets the store's identifier, which is known once the store has been read.
  package func setOwner(_ identifier: String) {
    state.withLock { $0.naming = ValueFileNaming(store: identifier) }
  }

  /// The folder, nil where there is none.
  ///
  /// - Throws: ``FileError`` when the system refuses, or the name is a link or no folder.
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

  /// Throws unless the open folder is the one at its path: a file in any other is lost to the rows.
  private func checkPlace(_ state: State) throws(FileError) {
    guard let status = state.folderStatus else { return }
    guard let found = try parent.extent(of: name), found.isSameFile(as: status) else {
      throw FileError(.openFolder, path: parent.path(of: name), code: FileError.replaced)
    }
  }

  /// The folder, which is made where there is none.
  ///
  /// - Throws: ``FileError``, which is ``FileError/isReplaced`` where the open folder was moved away.
  func madeFolder() throws(FileError) -> Folder {
    try locked { (state) throws(FileError) in
      if let folder = try openedFolder(&state) {
        try checkPlace(state)
        if state.isSettled { return folder }
      }
      try parent.makeFolder(name)
      if policy == .medium { try parent.sync() }
      state.isSettled = true
      let folder = try openedFolder(&state)
      guard let folder else {
        throw FileError(.openFolder, path: parent.path(of: name), code: Syscalls.notFound)
      }
      return folder
    }
  }

  /// Lends the state with errors of one type, which the lock's own call does not carry.
  func locked<Value: Sendable>(
    _ body: (inout sending State) throws(FileError) -> Value
  ) throws(FileError) -> Value {
    try state.withLock { (state) -> Result<Value, FileError> in
      do throws(FileError) {
        return .success(try body(&state))
      } catch {
        return .failure(error)
      }
    }
    .get()
  }
}

extension ValueFiles {
  /// Writes a value to a new file.
  ///
  /// The value is read where it lies, a piece at a time.
  ///
  /// - Throws: ``FileError`` when the system refuses; the file is gone then, or is swept later.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) -> FileReference {
    let folder = try madeFolder()
    // Each time, since a program that syncs may have removed the mark meanwhile.
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
      if policy == .medium { try file.sync() }
      guard
        let reference = FileReference(name: name, size: bytes.count, checksum: checksum.value)
      else { throw FileError(.create, path: folder.path(of: name), code: FileError.unexpectedKind) }
      return reference
    } catch {
      if !error.isAlreadyExisting { try? folder.remove(name) }
      throw error
    }
  }

  /// Brings the names of new files to the medium; to be called before rows with them are committed.
  ///
  /// - Throws: ``FileError``, which is ``FileError/isReplaced`` where the folder was moved away.
  package func settle() throws(FileError) {
    try locked { (state) throws(FileError) in
      try checkPlace(state)
      if policy == .medium { try state.folder?.sync() }
    }
  }

  /// Brings to stable storage what programs that do not sync have written.
  ///
  /// To be called before a program that syncs commits rows upon theirs. It costs one call of the system
  /// unless there is such a file.
  ///
  /// - Throws: ``FileError`` when the system refuses; the next call tries again.
  package func settleFound() throws(FileError) {
    guard policy == .medium else { return }
    let folder = try locked { (state) throws(FileError) in try openedFolder(&state) }
    guard let folder, try folder.status(of: Self.unsyncedMark) != nil else { return }
    for name in try names() { try folder.open(name, for: .reading).sync() }
    try folder.sync()
    try parent.sync()
    try folder.remove(Self.unsyncedMark)
  }

  /// Makes sure that the folder is one, where there is something of its name.
  ///
  /// - Throws: ``FileError`` for a link or anything else that is no folder.
  package func checkFolder() throws(FileError) {
    _ = try locked { (state) throws(FileError) in try openedFolder(&state) }
  }

  /// The names in the folder that can be those of values.
  package func names() throws(FileError) -> [String] {
    let folder = try locked { (state) throws(FileError) in try openedFolder(&state) }
    return try folder?.names().filter(FileReference.isName) ?? []
  }

  /// The names in the folder that this store created.
  package func ownNames() throws(FileError) -> [String] {
    let naming = state.withLock { $0.naming }
    return try names().filter(naming.isOwn)
  }

  /// Removes files of this store that no row names, as soon as no read can need them.
  ///
  /// Call it with the store's lock held, so that no save is under way. What cannot be removed stays,
  /// and is removed when the store is next opened for writing.
  package func remove(_ names: some Sequence<String>) {
    remove(names.map { Leftover(name: $0) })
  }

  /// Removes files that rows named until now, as soon as no read can need them.
  package func removeReleased(_ references: some Sequence<FileReference>) {
    remove(references.map { Leftover(name: $0.name, reference: $0) })
  }

  private func remove(_ leftovers: [Leftover]) {
    state.withLock { state in
      state.leftovers += leftovers
      removeLeftovers(&state)
    }
  }

  /// Removes files that no row names once the last saves are on the medium.
  package func removeWhenDurable(
    _ names: some Sequence<String>,
    _ references: some Sequence<FileReference>
  ) {
    let leftovers =
      names.map { Leftover(name: $0) }
      + references.map { Leftover(name: $0.name, reference: $0) }
    state.withLock { $0.deferred += leftovers }
  }

  /// Says that all saves so far are on the medium.
  package func noteDurable() {
    state.withLock { state in
      state.leftovers += state.deferred
      state.deferred = []
      removeLeftovers(&state)
    }
  }

  /// Whether so many files wait for the medium that it should be asked now.
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

  /// Whether this store wrote a file, which is a plain one of this user.
  ///
  /// Version 1 gave names that prove nothing. Such a file must have been named by a row, and is read.
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
