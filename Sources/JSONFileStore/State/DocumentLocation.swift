import StoreFiles
import StoreHelpers

/// The location of a document that will replace the current one.
///
/// It does not hold the store's lock, so it can outlive the open store.
struct DocumentLocation: Sendable {
  let folder: Folder
  let name: String
  let policy: SyncPolicy
  let generation: Int64

  /// Writes a document to a separate file.
  func write(_ draft: DocumentDraft) throws(FileError) -> NextDocument {
    // No open would accept a document of this generation.
    guard generation <= StoreNumbers.greatest else {
      throw FileError(.create, path: folder.path(of: name), code: FileError.countAtItsEnd)
    }
    var checksum: UInt32 = 0
    let file = try folder.prepare(name, policy: policy) { (file) throws(FileError) in
      checksum = try draft.write(generation: generation, to: file)
    }
    return NextDocument(file: file, generation: generation, checksum: checksum)
  }

  /// Removes a document that is no longer needed.
  func discard(_ document: NextDocument) { folder.discard(document.file) }
}

/// A complete document on disk that has not yet replaced the current one.
struct NextDocument: Sendable {
  let file: Replacement
  let generation: Int64
  let checksum: UInt32
}
