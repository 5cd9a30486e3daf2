/// The error of a replacement, and its effect on the file.
package enum ReplacementError: Error, Hashable, Sendable {
  case unchanged(FileError)
  /// The file may be the old or the new one, and a loss of power may still change which.
  case unknown(FileError)

  /// The file operation that failed.
  package var cause: FileError {
    switch self {
    case .unchanged(let error), .unknown(let error): error
    }
  }
}

/// The durability at which a write is considered complete.
package enum SyncPolicy: Hashable, Sendable {
  /// On disk: the write survives a loss of power.
  case disk
  /// In the system's memory: the write survives the end of the process.
  case system
}

/// A complete file that has not yet replaced another; see ``Folder/prepare(_:policy:fill:)``.
package struct Replacement: Sendable {
  /// The new file.
  package let file: File
  /// The status of the complete file.
  package let status: FileStatus
  let temporary: String
  let name: String
  let policy: SyncPolicy
}

extension Folder {
  /// Replaces a file atomically, so that any reader sees either the old or the new one.
  ///
  /// The new content is written to a new file beside the old one, synced to disk, and then renamed.
  /// The new file has the permissions of the old one, or is accessible to its owner only.
  ///
  /// - Parameters:
  ///   - name: The file to replace or create.
  ///   - policy: Whether to wait for the disk. Otherwise, a loss of power may tear the file.
  ///   - fill: A closure that writes the content to the new file.
  /// - Returns: The new file, with its status.
  /// - Throws: ``ReplacementError/unchanged(_:)`` if it failed before the rename,
  ///   ``ReplacementError/unknown(_:)`` if it failed later.
  package func replace(
    _ name: String,
    policy: SyncPolicy = .disk,
    fill: (File) throws(FileError) -> Void
  ) throws(ReplacementError) -> Replacement {
    let replacement: Replacement
    do throws(FileError) {
      replacement = try prepare(name, policy: policy, fill: fill)
    } catch {
      throw .unchanged(error)
    }
    try commit(replacement)
    return replacement
  }

  /// Creates a complete file that can replace another one later.
  ///
  /// - Throws: ``FileError`` if the system fails; the file is then removed, or swept later.
  package func prepare(
    _ name: String,
    policy: SyncPolicy = .disk,
    fill: (File) throws(FileError) -> Void
  ) throws(FileError) -> Replacement {
    let (temporary, file) = try makeTemporaryFile(for: name)
    do throws(FileError) {
      if let old = try status(of: name), old.isRegularFile, old.mode & 0o777 != 0o600 {
        try file.setMode(to: old.mode & 0o777)
      }
      try fill(file)
      let status = try file.status()
      if policy == .disk { try file.sync() }
      return Replacement(
        file: file,
        status: status,
        temporary: temporary,
        name: name,
        policy: policy
      )
    } catch {
      // If this also fails, the file is swept when the store is next opened.
      try? remove(temporary)
      throw error
    }
  }

  /// Renames a prepared file to its final name.
  ///
  /// - Throws: ``ReplacementError/unknown(_:)``: the name may refer to the old or the new file.
  package func commit(_ replacement: Replacement) throws(ReplacementError) {
    do throws(FileError) {
      try rename(replacement.temporary, to: replacement.name)
      if replacement.policy == .disk { try sync() }
    } catch {
      // A rename that reports an error may have succeeded (RELIABILITY.md, finding 10); if not, the
      // new file still has its temporary name.
      try? remove(replacement.temporary)
      throw .unknown(error)
    }
  }

  /// Removes a prepared file that is no longer needed.
  package func discard(_ replacement: Replacement) {
    try? remove(replacement.temporary)
  }
}
