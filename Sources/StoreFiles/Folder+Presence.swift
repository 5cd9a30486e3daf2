import Foundation
import StoreProtocol

extension Folder {
  /// Checks that the folder of a store exists.
  ///
  /// - Parameter path: The path of the store's file.
  /// - Throws: ``DataStoreError/invalidConfiguration`` if there is no such folder.
  package static func checkPresence(of path: String) throws {
    let folder = FileName.split(path).folder
    guard !FileManager.default.fileExists(atPath: folder) else { return }
    throw DataStoreError(
      .invalidConfiguration,
      "the folder of the store does not exist; correct the path, create the folder, or add the option "
        + "folder=create to the URL",
      file: path
    )
  }
}
