/// The place of a copy that a store is migrated in: a folder beside it, of which nobody else knows.
///
/// What lies there is of no use to anybody when the process has ended, and the next opening removes
/// it.
package struct MigrationPlace: Sendable {
  private let parent: Folder
  private let store: String
  private let name: String

  /// Makes the folder, empty; what an earlier migration has left is removed.
  ///
  /// - Parameters:
  ///   - store: The name of the store's file, whose lock the caller holds.
  ///   - parent: The folder of the store.
  /// - Throws: ``FileError`` where the system refuses to make the folder.
  package init(of store: String, in parent: Folder) throws(FileError) {
    self.parent = parent
    self.store = store
    name = Self.name(of: store)
    Self.removeTree(name, in: parent)
    try parent.makeFolder(name)
  }

  private static let suffix = ".migrating"

  private static func name(of store: String) -> String { store + suffix }

  /// The path of the copy's file, which is not there yet.
  package var path: String { parent.path(of: "\(name)/\(store)") }

  /// Removes the copy with its folder, as far as the system lets it.
  ///
  /// The copy of a copy stays until that goes: a stage's code reads it after its migration ended.
  package func remove() {
    if !parent.path.hasSuffix(Self.suffix) { Self.removeTree(name, in: parent) }
  }

  /// Removes what a migration has left that was killed; the caller holds the store's lock.
  package static func sweep(_ store: String, in parent: Folder) {
    // A copy has copies of its own, which the migration that makes them removes.
    if parent.path.hasSuffix(suffix) { return }
    if (try? parent.status(of: name(of: store))) != nil { removeTree(name(of: store), in: parent) }
  }

  private static func removeTree(_ name: String, in parent: Folder) {
    guard let folder = try? Folder(name, in: parent) else { return }
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
