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
package final class ValueFiles: Sendable {
  struct State {
    var folder: Folder?
    /// Whether the folder's own name is on the medium.
    var isSettled = false
    /// How many reads are under way in this process.
    var readers = 0
    /// Whether they have the lock; they have none where there was no folder when they began.
    var isLocked = false
    /// The names that no row has any more, and that are still there.
    var leftovers: [String] = []
    /// Names that no row has any more once the last saves are on the medium.
    var deferred: [String] = []
  }

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
  let state = Mutex(State())

  /// Names the folder of a store's values; nothing is opened or made.
  ///
  /// - Parameters:
  ///   - store: The store's file.
  ///   - parent: The folder of the store.
  ///   - policy: How far files are brought before rows name them.
  ///   - isShared: Whether other processes, or other stores of this one, use them as well.
  package init(
    of store: String,
    in parent: Folder,
    policy: SyncPolicy,
    isShared: Bool = true
  ) {
    self.parent = parent
    self.isShared = isShared
    self.name = FileName.values(of: store)
    self.policy = policy
  }

  /// The folder, nil where there is none.
  ///
  /// - Throws: ``FileError`` when the system refuses, or the name is a link or no folder.
  func openedFolder(_ state: inout State) throws(FileError) -> Folder? {
    if let folder = state.folder { return folder }
    do throws(FileError) {
      state.folder = try Folder(name, in: parent)
    } catch {
      if !error.isNotFound { throw error }
    }
    return state.folder
  }

  /// The folder, which is made where there is none.
  func madeFolder() throws(FileError) -> Folder {
    try locked { (state) throws(FileError) in
      if let folder = try openedFolder(&state), state.isSettled { return folder }
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
    let name = FileReference.newName()
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
      if policy == .medium, !PlantedFault.noValueSync.isPlanted { try file.sync() }
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
  package func settle() throws(FileError) {
    guard policy == .medium else { return }
    try locked { (state) throws(FileError) in try state.folder?.sync() }
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

  /// Removes files that an ended process left: plain ones of this user that no row names.
  ///
  /// Call it with the store's lock held, so that no save is under way.
  package func sweep(_ names: some Sequence<String>) {
    let folder = try? locked { (state) throws(FileError) in try openedFolder(&state) }
    guard let folder else { return }
    remove(
      names.filter { name in
        guard let status = try? folder.status(of: name) else { return false }
        return status.isRegularFile && status.owner == Syscalls.userIdentifier
      }
    )
  }

  /// Removes files that no row names, as soon as no read can need them.
  ///
  /// What cannot be removed stays, and is removed when the store is next opened for writing.
  package func remove(_ names: some Sequence<String>) {
    state.withLock { state in
      state.leftovers += names.filter(FileReference.isName)
      removeLeftovers(&state)
    }
  }

  /// Removes files that no row names once the last saves are on the medium.
  package func removeWhenDurable(_ names: some Sequence<String>) {
    state.withLock { $0.deferred += names }
  }

  /// Says that all saves so far are on the medium.
  package func noteDurable() {
    state.withLock { state in
      state.leftovers += state.deferred.filter(FileReference.isName)
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
    for name in state.leftovers { try? folder.remove(name) }
    state.leftovers = []
    if isShared { folder.unlock() }
  }
}
