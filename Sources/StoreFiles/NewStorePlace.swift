/// The place of a copy of a store: nothing is there until the copy is whole.
///
/// The copy is written under a temporary name. It gets its own name by ``publish()``, which never
/// replaces anything; ``withdraw()`` removes all of it again.
package final class NewStorePlace {
  /// The folder of the copy.
  package let folder: Folder
  /// The name that the copy is to have.
  package let name: String
  /// The name under which the copy is written: an empty file, open to its owner alone.
  package let temporaryName: String

  private let companions: [String]
  private let status: FileStatus
  private var values: Folder?
  /// The names of the values that were copied.
  private var copied: Set<String> = []
  private var hasFolder = false

  /// Makes the temporary file.
  ///
  /// - Parameters:
  ///   - name: The name that the copy is to have.
  ///   - folder: The folder of the copy.
  ///   - companions: What the store puts behind a name for files beside it.
  /// - Throws: ``FileError``, which is ``FileError/isAlreadyExisting`` where something of a store
  ///   of that name is there; then nothing is left there.
  package init(
    _ name: String,
    in folder: Folder,
    companions: [String] = []
  ) throws(FileError) {
    for taken in [name, FileName.values(of: name)] + companions.map({ name + $0 })
    where try folder.status(of: taken) != nil {
      throw FileError(.create, path: folder.path(of: taken), code: Syscalls.alreadyExists)
    }
    let temporaryName = FileName.temporary(for: name)
    do throws(FileError) {
      status = try folder.open(temporaryName, for: .creating).status()
    } catch {
      if !error.isAlreadyExisting { try? folder.remove(temporaryName) }
      throw error
    }
    self.folder = folder
    self.name = name
    self.temporaryName = temporaryName
    self.companions = companions
  }

  /// The path of the file that is written.
  package var temporaryPath: String { folder.path(of: temporaryName) }

  /// Copies values that lie in files of their own to the folder of the copy, on the medium.
  ///
  /// - Throws: ``ValueFileError`` for a file that is not what was saved, ``FileError`` where the
  ///   system refuses to write.
  package func copy(_ references: some Sequence<FileReference>, from files: ValueFiles) throws {
    for reference in references where copied.insert(reference.name).inserted {
      try files.copy(reference, to: valuesFolder(), isSynced: true)
    }
    try values?.sync()
  }

  private func valuesFolder() throws(FileError) -> Folder {
    if let values { return values }
    let name = FileName.values(of: name)
    do throws(FileError) {
      try perform(.makeFolder, path: folder.path(of: name)) { () throws(SystemError) in
        try folder.access.makeFolder(name, in: folder.descriptor)
      }
    } catch {
      // A call that reported another failure may have made it nevertheless.
      hasFolder = !error.isAlreadyExisting
      throw error
    }
    hasFolder = true
    let made = try Folder(name, in: folder)
    values = made
    return made
  }

  /// Gives the copy its name, once all of it is on the medium.
  ///
  /// No other descriptor of the file may be open.
  ///
  /// - Throws: ``FileError``, which is ``FileError/isAlreadyExisting`` where something has that name
  ///   by now. Call ``withdraw()`` then.
  package func publish() throws(FileError) {
    try folder.open(temporaryName, for: .updating).sync()
    do throws(FileError) {
      try perform(.rename, path: folder.path(of: name)) { () throws(SystemError) in
        try folder.access.link(temporaryName, to: name, in: folder.descriptor)
      }
      try folder.remove(temporaryName)
    } catch {
      // A file system without second names: what came to be there in between would be replaced.
      guard error.code == Syscalls.notPermitted, try folder.status(of: name) == nil else {
        throw error
      }
      try folder.rename(temporaryName, to: name)
    }
    try folder.sync()
  }

  /// Removes all of the copy, as far as the system lets it.
  package func withdraw() {
    // A call that reported a failure may have done its work nevertheless.
    if let found = try? folder.status(of: name), found.isSameFile(as: status) {
      try? folder.remove(name)
    }
    for name in [temporaryName] + companions.map({ temporaryName + $0 }) {
      try? folder.remove(name)
    }
    guard hasFolder else { return }
    for name in copied { try? values?.remove(name) }
    let valuesName = FileName.values(of: name)
    try? perform(.unlink, path: folder.path(of: valuesName)) { () throws(SystemError) in
      try folder.access.removeFolder(valuesName, in: folder.descriptor)
    }
  }
}

extension Folder {
  /// How many temporary names of a store lead to a file.
  ///
  /// A copy that was killed right after it got its name has one left, which is no name of anybody
  /// else's. ``sweepTemporaryFiles(of:)`` removes it.
  package func temporaryNameCount(
    of name: String,
    for file: FileStatus
  ) throws(FileError) -> UInt64 {
    var count: UInt64 = 0
    for candidate in try names() where FileName.isTemporary(candidate, for: name) {
      if try status(of: candidate)?.isSameFile(as: file) == true { count += 1 }
    }
    return count
  }
}
