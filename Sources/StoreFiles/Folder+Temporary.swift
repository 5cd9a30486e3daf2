extension Folder {
  /// Creates an empty temporary file of a store.
  ///
  /// - Parameter name: The name of the store's file.
  /// - Returns: The new file and its name, which no other file had.
  /// - Throws: ``FileError`` if the system fails; then there is no file.
  func makeTemporaryFile(for name: String) throws(FileError) -> (name: String, made: File) {
    try makeTemporary(.file, for: name) { (temporary) throws(FileError) in
      do throws(FileError) {
        return try open(temporary, for: .creating)
      } catch {
        // A call that reported another failure may have created it nevertheless.
        if !error.isAlreadyExisting { try? remove(temporary) }
        throw error
      }
    }
  }

  /// Creates a temporary file or folder under the first name that is not taken.
  ///
  /// - Parameters:
  ///   - kind: What is created.
  ///   - name: The name of the store's file.
  ///   - make: Creates it, or fails with ``FileError/isAlreadyExisting``.
  /// - Returns: The name, and what the closure returned.
  /// - Throws: The closure's errors.
  func makeTemporary<Made>(
    _ kind: FileName.Temporary,
    for name: String,
    _ make: (String) throws(FileError) -> Made
  ) throws(FileError) -> (name: String, made: Made) {
    for temporary in FileName.temporaries(kind, for: name) {
      do throws(FileError) {
        return (temporary, try make(temporary))
      } catch {
        guard error.isAlreadyExisting else { throw error }
      }
    }
    let temporary = FileName.temporary(kind, for: name)
    return (temporary, try make(temporary))
  }

  /// Removes the temporary files that an ended process left for a store.
  ///
  /// Only plain files of this user with a temporary name of the store are removed. Call it with the
  /// store's lock held, so that no running process can be writing one.
  package func sweepTemporaryFiles(of name: String) throws(FileError) {
    for candidate in FileName.temporaries(for: name) {
      guard let status = try status(of: candidate), status.isRegularFile,
        status.owner == Syscalls.userIdentifier
      else { continue }
      try remove(candidate)
    }
  }

  /// Returns the number of temporary names of a store that refer to a file.
  ///
  /// A copy whose process was killed right after it got its final name still has one, which is not
  /// a name of another program. ``sweepTemporaryFiles(of:)`` removes it.
  package func temporaryNameCount(
    of name: String,
    for file: FileStatus
  ) throws(FileError) -> UInt64 {
    var count: UInt64 = 0
    for candidate in try names() where FileName.isTemporary(candidate, for: name) {
      if try status(of: candidate)?.identity == file.identity { count += 1 }
    }
    return count
  }
}
