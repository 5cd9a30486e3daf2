import StoreFiles
import StoreProtocol

extension StoreOpening {
  /// The number of attempts to read the files before they are considered damaged or constantly
  /// changing.
  private static let mostAttempts = 50

  /// Reads the state of the last save, while another process may write.
  ///
  /// A document is replaced as a whole, and its journal is appended to. The two files that were
  /// read are consistent if the document still has its name afterward. Otherwise both are read
  /// again. A journal that was read partly before and partly after a save is also read again.
  ///
  /// - Throws: `storeBusy` if the files keep changing, and the errors of opening.
  func openUnlocked() throws -> OpenedStore {
    for attempt in 1...Self.mostAttempts {
      let document = try read(name)
      let journal = try read(FileName.journal(of: name))
      let status = try folder.extent(of: name)
      guard let document else {
        if status != nil { continue }
        guard journal == nil else { throw lostDocument() }
        return try make(nil)
      }
      guard let status, status.identity == document.status.identity else { continue }
      do {
        var opened = try open(document.bytes, document.status, journal?.bytes, nil)
        try checkValueFiles(&opened)
        return opened
      } catch let error as DataStoreError where error == .storeDamaged {
        if attempt == Self.mostAttempts { throw error }
        let now = try read(FileName.journal(of: name))
        if now?.bytes == journal?.bytes { throw error }
      }
    }
    throw DataStoreError(
      .storeBusy,
      "another process keeps writing the store; read it when that process is done",
      file: path
    )
  }
}
