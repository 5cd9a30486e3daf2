import Foundation
import ModelLayer
import StoreFiles

/// A store that is made in a folder beside its place, and gets its place when it is whole.
///
/// The folder is called after the store, with the ending `.copying`. What a process leaves in it that
/// is killed is of no use; the next one that makes the same store removes it.
package final class StagedStore {
  private static let suffix = ".copying"

  /// The URL of the store in the folder.
  package let url: String
  private let place: String
  private let folder: Folder

  /// Makes the folder for a store that is not there yet.
  ///
  /// - Parameter url: The URL that the store is to have: a scheme whose stores are files.
  /// - Throws: ``DataStoreError/invalidConfiguration`` if there is something in the place of the store
  ///   already, ``DataStoreError/storeBusy`` while another process makes it, and
  ///   ``DataStoreError/io`` if the system refuses.
  package init(_ url: String) throws {
    let given = try StoreURL(url)
    place = try given.fileURL().path
    guard !FileManager.default.fileExists(atPath: place) else {
      throw DataStoreError(
        .invalidConfiguration,
        "there is something in the place of the new store; choose another, or remove it",
        file: place
      )
    }
    let (path, name) = FileName.split(place)
    do {
      let parent = try Folder(path: path)
      if try parent.status(of: name + Self.suffix) == nil {
        try parent.makeFolder(name + Self.suffix)
      }
      folder = try Folder(name + Self.suffix, in: parent)
      guard try folder.tryLock(exclusively: true) else {
        throw DataStoreError(
          .storeBusy,
          "another process is making this store; wait for it",
          file: place
        )
      }
      if let objection = try folder.objectionToWriting() { throw objection }
    } catch let error as FileError {
      throw DataStoreError(
        .io,
        "the folder for the new store could not be made",
        file: place + Self.suffix,
        cause: error
      )
    }
    self.url = given.text(withPath: folder.path(of: name))
    clear()
  }

  /// Copies the store, which is whole, to its place; then its folder is removed.
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` for a store that makes no copies of itself, and
  ///   what copying throws; then there is nothing in the place of the store.
  package func publish(_ store: any DataStore) throws {
    try Self.maintainable(store).backup(to: URL(filePath: place))
  }

  /// The store as one that makes copies of itself.
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` for another.
  package static func maintainable(_ store: (any DataStore)?) throws -> any MaintainableStore {
    if let store = store as? any MaintainableStore { return store }
    throw DataStoreError(
      .unsupportedFeature,
      "the store makes no copies of itself, so that it cannot get its place at once; copy to an open "
        + "container"
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
