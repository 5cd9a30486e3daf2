import StoreFiles
import StoreProtocol

extension StoreOpening {
  /// How often the files are read before they count as damaged, or as never at rest.
  private static let mostAttempts = 50

  /// Reads the state of the last save, while another process may go on writing.
  ///
  /// A document is replaced whole, and its journal is appended to: what was read belongs together if
  /// the document still has its name afterwards. Otherwise both are read again, as is a journal one
  /// part of which was read before a save and another part after it.
  ///
  /// - Throws: `storeBusy` if the files do not come to rest, and what opening throws.
  func openUnlocked() throws -> OpenedStore {
    for attempt in 1...Self.mostAttempts {
      let document = try read(name)
      let journal = try read(StoreFolder.journalName(of: name))
      let status = try translating { () throws(FileError) in try folder.extent(of: name) }
      guard let document else {
        if status != nil { continue }
        guard journal == nil else { throw lostDocument() }
        return try make(nil)
      }
      guard let status, status.isSameFile(as: document.status) else { continue }
      do {
        var opened = try open(document.bytes, document.status, journal?.bytes, nil)
        try settleFiles(&opened)
        return opened
      } catch let error as DataStoreError where error == .storeDamaged {
        if attempt == Self.mostAttempts { throw error }
        let now = try read(StoreFolder.journalName(of: name))
        if now?.bytes == journal?.bytes { throw error }
      }
    }
    throw DataStoreError(
      .storeBusy,
      "another process writes the store all the time; read it when that is done",
      file: path
    )
  }
}
