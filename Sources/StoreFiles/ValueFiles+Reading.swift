import Foundation

extension ValueFiles {
  /// Prevents the removal of all files until ``endReading()``.
  ///
  /// Call it before choosing a state of the store whose rows may name them.
  ///
  /// - Parameter patience: The time in milliseconds to wait for another process that is removing
  ///   files.
  /// - Throws: ``StoreLock/Failure``.
  package func beginReading(patience: Int) throws(StoreLock.Failure) {
    var rest = patience
    while true {
      let isReady: Bool
      do throws(FileError) {
        isReady = try state.withLock { (state) throws(FileError) in try join(&state) }
      } catch {
        throw .file(error)
      }
      if isReady { return }
      guard rest > 0 else { throw .busy(holder: "another process that removes files of values") }
      Syscalls.pause(milliseconds: 1)
      rest -= 1
    }
  }

  /// Registers one more read, unless another process is removing files.
  private func join(_ state: inout State) throws(FileError) -> Bool {
    // Reads that began before there was a folder have no lock: the next one takes it for all of
    // them.
    if isShared, !state.isLocked, let folder = try openedFolder(&state) {
      guard try folder.tryLock(exclusively: false) else { return false }
      state.isLocked = true
    }
    state.readers += 1
    return true
  }

  /// Ends a read that ``beginReading(patience:)`` started.
  package func endReading() {
    state.withLock { state in
      state.readers -= 1
      guard state.readers == 0 else { return }
      if state.isLocked { state.folder?.unlock() }
      state.isLocked = false
      removeLeftovers(&state)
    }
  }
}

extension ValueFiles {
  /// Reads a value.
  ///
  /// - Throws: ``ValueFileError`` if the file is missing or not the one that was written.
  package func data(of reference: FileReference) throws(ValueFileError) -> Data {
    let file = try openWhole(reference)
    // The system's allocation may fail; an allocation by Swift would end the process.
    guard reference.size > 0, let memory = malloc(reference.size) else {
      if reference.size == 0 { return Data() }
      throw .damaged(path: file.path, reason: "it is larger than the available memory")
    }
    do throws(ValueFileError) {
      let buffer = UnsafeMutableRawBufferPointer(start: memory, count: reference.size)
      try fill(buffer, from: file, reference)
    } catch {
      free(memory)
      throw error
    }
    return Data(bytesNoCopy: memory, count: reference.size, deallocator: .free)
  }

  /// Reads a value that is a string.
  ///
  /// - Throws: ``ValueFileError`` as ``data(of:)`` does, or if the bytes are not UTF-8.
  package func text(of reference: FileReference) throws(ValueFileError) -> String {
    let data = try data(of: reference)
    guard let text = String(validating: data, as: UTF8.self) else {
      throw .damaged(path: path(of: reference), reason: "it is not UTF-8")
    }
    return text
  }

  /// Opens a value's file to read all of it into memory.
  ///
  /// A sparse file can have any size without taking disk space, so it is read once before memory is
  /// allocated for it. The store writes none, but programs that copy files create them.
  package func openWhole(_ reference: FileReference) throws(ValueFileError) -> File {
    let file = try open(reference)
    do throws(FileError) {
      if try file.status().allocated >= reference.size { return file }
    } catch {
      throw ValueFileError(error)
    }
    try Self.check(file, reference)
    return file
  }

  /// Opens a value's file, and compares its size before reading any of it.
  func open(_ reference: FileReference) throws(ValueFileError) -> File {
    let (file, size): (File, Int)
    do throws(FileError) {
      guard let folder = try folder() else {
        throw FileError(.open, path: path(of: reference), code: Syscalls.notFound)
      }
      file = try folder.open(reference.name, for: .reading)
      size = try file.status().size
    } catch {
      throw ValueFileError(error)
    }
    guard size == reference.size else {
      throw .damaged(path: file.path, reason: "its size differs")
    }
    guard size <= maximumSize else {
      throw .tooLarge(path: file.path, size: size, maximum: maximumSize)
    }
    return file
  }

  /// Fills memory of the value's size from its open file.
  package func fill(
    _ buffer: UnsafeMutableRawBufferPointer,
    from file: File,
    _ reference: FileReference
  ) throws(ValueFileError) {
    var pieces = ValuePieces(of: file, reference)
    while try pieces.next(into: .init(rebasing: buffer[pieces.offset...])) != nil {}
  }

  private func path(of reference: FileReference) -> String {
    parent.path(of: "\(name)/\(reference.name)")
  }
}
