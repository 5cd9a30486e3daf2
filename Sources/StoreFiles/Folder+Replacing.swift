/// Why a file could not be replaced, and what that means for it.
package enum ReplacementError: Error, Hashable, Sendable {
  /// The file is as it was before.
  case unchanged(FileError)
  /// The file may be the old or the new one, and a power cut may yet decide otherwise.
  case unknown(FileError)

  /// The file operation that failed.
  package var cause: FileError {
    switch self {
    case .unchanged(let error), .unknown(let error): error
    }
  }
}

/// How far a write is brought before it counts as done.
package enum SyncPolicy: Hashable, Sendable {
  /// To the medium: it survives a loss of power.
  case medium
  /// To the system: it survives the end of the process.
  case system
}

/// A whole file that has yet to take the name of another; see ``Folder/prepare(_:policy:fill:)``.
package struct Replacement: Sendable {
  /// The new file.
  package let file: File
  let temporary: String
  let name: String
  let policy: SyncPolicy
}

extension Folder {
  /// Puts a whole file in the place of one, so that any reader sees either of them.
  ///
  /// The new content goes to a new file beside the old one, is brought to the medium, and then
  /// takes the name. The new file has the permissions of the old one, or is its owner's alone.
  ///
  /// - Parameters:
  ///   - name: The file to replace or create.
  ///   - policy: Whether to wait for the medium. Without, a loss of power may tear the file.
  ///   - fill: Writes the content to the new file.
  /// - Returns: The new file.
  /// - Throws: ``ReplacementError/unchanged(_:)`` when it failed before the new file took the
  ///   name, ``ReplacementError/unknown(_:)`` after.
  package func replace(
    _ name: String,
    policy: SyncPolicy = .medium,
    fill: (File) throws(FileError) -> Void
  ) throws(ReplacementError) -> File {
    let replacement: Replacement
    do throws(FileError) {
      replacement = try prepare(name, policy: policy, fill: fill)
    } catch {
      throw .unchanged(error)
    }
    try commit(replacement)
    return replacement.file
  }

  /// Makes a whole file that can take the place of one later.
  ///
  /// - Throws: ``FileError`` when the system refuses; the file is gone then, or is swept later.
  package func prepare(
    _ name: String,
    policy: SyncPolicy = .medium,
    fill: (File) throws(FileError) -> Void
  ) throws(FileError) -> Replacement {
    let temporary = FileName.temporary(for: name)
    let file: File
    do throws(FileError) {
      file = try open(temporary, for: .creating)
    } catch {
      if !error.isAlreadyExisting { try? remove(temporary) }
      throw error
    }
    do throws(FileError) {
      if let old = try status(of: name), old.isRegularFile, old.mode & 0o777 != 0o600 {
        try file.setMode(to: old.mode & 0o777)
      }
      try fill(file)
      if policy == .medium { try file.sync() }
    } catch {
      // What is left when this fails as well is swept when the store is next opened.
      try? remove(temporary)
      throw error
    }
    return Replacement(file: file, temporary: temporary, name: name, policy: policy)
  }

  /// Gives a prepared file its name.
  ///
  /// - Throws: ``ReplacementError/unknown(_:)``: the name may be that of the old or the new file.
  package func commit(_ replacement: Replacement) throws(ReplacementError) {
    do throws(FileError) {
      try rename(replacement.temporary, to: replacement.name)
      if replacement.policy == .medium { try sync() }
    } catch {
      // A rename that reports an error may have happened (RELIABILITY.md, finding 10); if not,
      // the new file is still under its first name.
      try? remove(replacement.temporary)
      throw .unknown(error)
    }
  }

  /// Removes a prepared file that is not wanted any more.
  package func discard(_ replacement: Replacement) {
    try? remove(replacement.temporary)
  }

  /// Removes the temporary files that an ended process left for a store.
  ///
  /// Only plain files with a name of ours, that belong to this user, are removed. Call it with
  /// the store's lock held, so that no living process can be writing one.
  package func sweepTemporaryFiles(of name: String) throws(FileError) {
    for candidate in try names() where FileName.isTemporary(candidate, for: name) {
      guard let status = try status(of: candidate), status.isRegularFile,
        status.owner == Syscalls.userIdentifier
      else { continue }
      try remove(candidate)
    }
  }
}
