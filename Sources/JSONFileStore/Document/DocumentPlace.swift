import StoreFiles
import StoreProtocol

/// Where a document is written that is to take the place of the current one.
///
/// It does not hold the store's lock, so that it can outlive the open store.
struct DocumentPlace: Sendable {
  let folder: Folder
  let name: String
  let policy: SyncPolicy
  let generation: Int64

  /// Writes a document to a file of its own.
  func write(_ write: (File, Int64) throws(FileError) -> UInt32) throws(FileError) -> NextDocument {
    // A document of this generation would be refused by every opening.
    guard generation <= StoreNumbers.greatest else {
      throw FileError(.create, path: folder.path(of: name), code: FileError.countAtItsEnd)
    }
    var checksum: UInt32 = 0
    var status: FileStatus?
    let file = try folder.prepare(name, policy: policy) { (file) throws(FileError) in
      checksum = try write(file, generation)
      status = try file.status()
    }
    guard let status else {
      throw FileError(.status, path: folder.path(of: name), code: FileError.unexpectedEnd)
    }
    return NextDocument(file: file, generation: generation, status: status, checksum: checksum)
  }

  /// Removes a document that is not wanted any more.
  func discard(_ document: NextDocument) { folder.discard(document.file) }
}

/// A document, whole and on the medium, that has yet to take the place of the current one.
struct NextDocument: Sendable {
  let file: Replacement
  let generation: Int64
  let status: FileStatus
  let checksum: UInt32
}
