import Foundation
import ModelLayer
import StoreFiles

/// A store that is created in a folder beside its path, and moved to its path when it is complete.
///
/// The folder is named after the store, with the ending `.copying`. If a process is killed, the
/// contents of the folder are useless; the next process that creates the same store removes them.
package final class StagedStore {
  private static let suffix = ".copying"

  /// The URL of the store in the folder.
  package let url: String
  private let destination: String
  private let folder: Folder

  /// Creates the folder for a store that does not exist yet.
  ///
  /// - Parameter url: The URL of the new store: a scheme whose stores are files.
  /// - Throws: ``DataStoreError/invalidConfiguration`` if something exists at the store's path
  ///   already, ``DataStoreError/storeBusy`` while another process creates the store, and
  ///   ``DataStoreError/io`` if the system refuses.
  package init(_ url: String) throws {
    let given = try StoreURL(url)
    destination = try given.fileURL().path
    guard !FileManager.default.fileExists(atPath: destination) else {
      throw DataStoreError(
        .invalidConfiguration,
        "a file already exists at the path of the new store; choose another path, or remove it",
        file: destination
      )
    }
    let (path, name) = FileName.split(destination)
    do {
      let parent = try Folder(path: path)
      if try parent.status(of: name + Self.suffix) == nil {
        try parent.makeFolder(name + Self.suffix)
      }
      folder = try Folder(name + Self.suffix, in: parent)
      guard try folder.tryLock(exclusively: true) else {
        throw DataStoreError(
          .storeBusy,
          "another process is creating this store; try again later",
          file: destination
        )
      }
      if let objection = try folder.objectionToWriting() { throw objection }
    } catch let error as FileError {
      throw DataStoreError(
        .io,
        "the folder for the new store could not be created",
        file: destination + Self.suffix,
        cause: error
      )
    }
    self.url = given.text(withPath: folder.path(of: name))
    clear()
  }

  /// Copies the complete store to its path, and then removes its folder.
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` for a store that cannot copy itself, and
  ///   errors of the copy; nothing then exists at the store's path.
  package func publish(_ store: any DataStore) throws {
    try Self.maintainable(store).backup(to: URL(filePath: destination))
  }

  /// Returns the store as one that can copy itself.
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` for any other.
  package static func maintainable(_ store: (any DataStore)?) throws -> any MaintainableStore {
    if let store = store as? any MaintainableStore { return store }
    throw DataStoreError(
      .unsupportedFeature,
      "the store cannot be copied in one step; copy to an open container"
    )
  }

  deinit {
    clear()
    try? FileManager.default.removeItem(atPath: folder.path)
  }

  private func clear() {
    for name in (try? folder.names()) ?? [] {
      try? FileManager.default.removeItem(atPath: folder.path(of: name))
    }
  }
}
