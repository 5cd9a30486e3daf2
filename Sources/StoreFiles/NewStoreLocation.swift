/// The location of a copy of a store, which remains unused until the copy is complete.
///
/// The copy is written under a temporary name. ``publish()`` gives it its final name and never
/// replaces anything; ``withdraw()`` removes all of it again.
package final class NewStoreLocation {
  /// The folder of the copy.
  package let folder: Folder
  /// The final name of the copy.
  package let name: String
  /// The temporary name of the copy: an empty file, accessible to its owner only.
  package let temporaryName: String

  private let companions: [String]
  private let status: FileStatus
  /// The open file, so that no other one is taken for it.
  private var file: File?
  private var values: Folder?
  private var copied: Set<String> = []
  private var hasFolder = false

  /// Creates the temporary file.
  ///
  /// - Parameters:
  ///   - name: The final name of the copy.
  ///   - folder: The folder of the copy.
  ///   - companions: The suffixes of the store's other files.
  /// - Throws: ``FileError``, which is ``FileError/isAlreadyExisting`` if a file of a store with
  ///   that name exists; then nothing is left there.
  package init(
    _ name: String,
    in folder: Folder,
    companions: [String] = []
  ) throws(FileError) {
    for taken in [name, FileName.values(of: name)] + companions.map({ name + $0 })
    where try folder.status(of: taken) != nil {
      throw FileError(.create, path: folder.path(of: taken), code: Syscalls.alreadyExists)
    }
    let (temporaryName, file) = try folder.makeTemporaryFile(for: name)
    do throws(FileError) {
      status = try file.status()
    } catch {
      try? folder.remove(temporaryName)
      throw error
    }
    self.folder = folder
    self.name = name
    self.temporaryName = temporaryName
    self.file = file
    self.companions = companions
  }

  /// Copies values in separate files to the folder of the copy, and syncs them to disk.
  ///
  /// - Throws: ``ValueFileError`` for a file that is not the saved one, ``FileError`` if the system
  ///   fails to write.
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
      try folder.makeNewFolder(name)
    } catch {
      // A call that reported another failure may have created it nevertheless.
      hasFolder = !error.isAlreadyExisting
      throw error
    }
    hasFolder = true
    let made = try Folder(name, in: folder)
    values = made
    return made
  }

  /// Gives the copy its final name, after all of it is on disk.
  ///
  /// No other descriptor of the file may be open.
  ///
  /// - Throws: ``FileError``, which is ``FileError/isAlreadyExisting`` if a file has that name by
  ///   now. Then call ``withdraw()``.
  package func publish() throws(FileError) {
    try file?.sync()
    guard try hasTemporaryName() else {
      throw FileError(.rename, path: folder.path(of: temporaryName), code: Syscalls.notFound)
    }
    // Closing it later would release the locks of those who open the store then.
    file = nil
    do throws(FileError) {
      try perform(.rename, path: folder.path(of: name)) { () throws(SystemError) in
        try folder.access.link(temporaryName, to: name, in: folder.descriptor)
      }
      try folder.remove(temporaryName)
    } catch {
      // A file system without hard links: a file that was created in between would be replaced.
      guard error.code == Syscalls.notPermitted, try folder.status(of: name) == nil else {
        throw error
      }
      try folder.rename(temporaryName, to: name)
    }
    try folder.sync()
  }

  /// Whether no opening of a store with the final name has removed the copy in between.
  private func hasTemporaryName() throws(FileError) -> Bool {
    try folder.status(of: temporaryName)?.identity == status.identity
  }

  /// Removes all of the copy, as far as the system permits.
  package func withdraw() {
    // A call that reported a failure may have succeeded nevertheless.
    if let found = try? folder.status(of: name), found.identity == status.identity {
      try? folder.remove(name)
    }
    if (try? hasTemporaryName()) == true {
      for suffix in [""] + companions { try? folder.remove(temporaryName + suffix) }
    }
    guard hasFolder else { return }
    for name in copied { try? values?.remove(name) }
    try? folder.removeFolder(FileName.values(of: name))
  }
}
