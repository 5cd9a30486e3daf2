/// The location of a copy in which a store is migrated: a new, private folder beside the store.
///
/// Its content is useless after the process has ended, and the next open removes it.
package struct MigrationLocation: Sendable {
  private let parent: Folder
  private let store: String
  private let name: String

  /// Creates the folder, and removes the remains of earlier migrations.
  ///
  /// - Parameters:
  ///   - store: The name of the store's file, whose lock the caller holds.
  ///   - parent: The folder of the store.
  /// - Throws: ``FileError`` if the system fails to create the folder.
  package init(of store: String, in parent: Folder) throws(FileError) {
    self.parent = parent
    self.store = store
    Self.sweep(store, in: parent)
    (name, _) = try parent.makeTemporary(.migration, for: store, parent.makeNewFolder)
  }

  /// The path of the copy's file, which does not exist yet.
  package var path: String { parent.path(of: "\(name)/\(store)") }

  /// Removes the copy with its folder, as far as the system permits.
  ///
  /// The copy of a copy remains until the latter is removed, because the code of a stage reads it
  /// after its migration ended.
  package func remove() {
    if !Self.isMigrationFolder(parent, of: store) { Self.removeTree(name, in: parent) }
  }

  /// Removes the remains of killed migrations; the caller holds the store's lock.
  package static func sweep(_ store: String, in parent: Folder) {
    // A copy has its own copies, which the migration that creates them removes.
    if isMigrationFolder(parent, of: store) { return }
    for name in FileName.temporaries(.migration, for: store) { removeTree(name, in: parent) }
  }

  /// Returns whether a folder is itself the location of a copy of the store.
  private static func isMigrationFolder(_ folder: Folder, of store: String) -> Bool {
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
    try? parent.removeFolder(name)
  }
}
