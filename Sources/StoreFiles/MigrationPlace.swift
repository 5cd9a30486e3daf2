/// The place of a copy that a store is migrated in: a new folder beside it, of which nobody else knows.
///
/// Its contents are of no use to anybody once the process has ended, and the next opening removes
/// it. It is told from folders of others by its name, which has 64 random bits.
package struct MigrationPlace: Sendable {
  private let parent: Folder
  private let store: String
  private let name: String

  /// Makes the folder; what an earlier migration has left is removed.
  ///
  /// - Parameters:
  ///   - store: The name of the store's file, whose lock the caller holds.
  ///   - parent: The folder of the store.
  /// - Throws: ``FileError`` where the system refuses to make the folder.
  package init(of store: String, in parent: Folder) throws(FileError) {
    self.parent = parent
    self.store = store
    let name = FileName.temporary(.migration, for: store)
    self.name = name
    Self.sweep(store, in: parent)
    try perform(.makeFolder, path: parent.path(of: name)) { () throws(SystemError) in
      try parent.access.makeFolder(name, in: parent.descriptor)
    }
  }

  /// The path of the copy's file, which is not there yet.
  package var path: String { parent.path(of: "\(name)/\(store)") }

  /// Removes the copy with its folder, as far as the system lets it.
  ///
  /// The copy of a copy stays until that goes: a stage's code reads it after its migration ended.
  package func remove() {
    if !Self.isPlace(parent, of: store) { Self.removeTree(name, in: parent) }
  }

  /// Removes what a migration has left that was killed; the caller holds the store's lock.
  package static func sweep(_ store: String, in parent: Folder) {
    // A copy has copies of its own, which the migration that makes them removes.
    if isPlace(parent, of: store) { return }
    for candidate in (try? parent.names()) ?? []
    where FileName.isTemporary(candidate, .migration, for: store) {
      removeTree(candidate, in: parent)
    }
  }

  /// Whether a folder is itself the place of a copy of the store.
  private static func isPlace(_ folder: Folder, of store: String) -> Bool {
    FileName.isTemporary(FileName.split(folder.path).name, .migration, for: store)
  }

  private static func removeTree(_ name: String, in parent: Folder) {
    guard let folder = try? Folder(name, in: parent),
      (try? folder.status())?.owner == Syscalls.userIdentifier
    else { return }
    for entry in (try? folder.names()) ?? [] {
      if (try? folder.status(of: entry))?.isRegularFile == true {
        try? folder.remove(entry)
      } else {
        removeTree(entry, in: folder)
      }
    }
    try? perform(.unlink, path: parent.path(of: name)) { () throws(SystemError) in
      try parent.access.removeFolder(name, in: parent.descriptor)
    }
  }
}
