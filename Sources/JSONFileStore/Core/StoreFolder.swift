import StoreFiles
import StoreProtocol

/// The files of an open store: the document, the journal and the lock.
///
/// Invariants:
/// 1. A document is only ever replaced whole, by one of the next generation. The journal beside
///    it counts only if it names the same store and generation; one of an earlier generation is
///    in the document already.
/// 2. The journal is removed only after the document that has its records is on the medium.
/// 3. After a call whose outcome is unknown the journal is not touched any more: the next call
///    replaces the document by one that no journal belongs to.
struct StoreFolder: Sendable {
  let folder: Folder
  let name: String
  let path: String
  let durability: StoreCapabilities.Durability
  /// Held as long as the store is open.
  let lock: StoreLock?
  /// The document as it was read or written last.
  var documentStatus: FileStatus
  /// The documents that may have taken its place, by replacements that failed on the way.
  private(set) var possibleDocuments: [FileStatus] = []
  /// The checksum of that document, where it was needed so far.
  var documentChecksum: UInt32?
  var generation: Int64
  var journal: Journal?
  /// Whether this opening created the document, so that nobody was promised that it is on the medium.
  var isNew = false
  /// Whether the document is on the medium as far as it ever will be.
  private(set) var isDocumentSettled = false

  var journalName: String { Self.journalName(of: name) }

  static func journalName(of name: String) -> String { name + ".journal" }

  /// How far whole files are brought: at least as far as their records are.
  ///
  /// A document that was found may be a program's whose saves are on the medium. What replaces it, or
  /// the journal beside it, must be there as well, whatever this program asks for.
  var filePolicy: SyncPolicy { durability == .none && isNew ? .system : .medium }

  /// Makes sure that the files are those that the store knows.
  ///
  /// - Throws: `storeReplaced` when another has written, replaced or removed one of them.
  func checkFiles() throws(DataStoreError) {
    let document = try translating { () throws(FileError) in try folder.statusByPath(of: name) }
    guard let document,
      document.isUnchanged(since: documentStatus)
        || possibleDocuments.contains(where: { document.isUnchanged(since: $0) })
    else { throw StoreErrors.replaced(path) }
    guard let journal else { return try checkLock() }
    let found = try translating { () throws(FileError) in try folder.extent(of: journalName) }
    guard let found, found.isSameFile(as: journal.status), found.size == journal.fileSize else {
      throw StoreErrors.replaced(folder.path(of: journalName))
    }
  }

  /// Checks that no other process can have the store open.
  ///
  /// Once there is a journal, its size tells of what others wrote.
  private func checkLock() throws(DataStoreError) {
    guard let lock else { return }
    guard try translating({ () throws(FileError) in try lock.isInPlace(in: folder) }) else {
      throw StoreErrors.replaced(folder.path(of: FileName.lock(of: name)))
    }
  }

  /// Brings the document that was found to the medium: what was read must stay.
  ///
  /// - Parameter andName: Whether to bring its name there as well, rather than with a later sync of
  ///   the folder.
  /// - Throws: ``FileError``; the document must then be replaced, since a second sync proves nothing.
  mutating func settleDocument(andName: Bool = true) throws(FileError) {
    guard filePolicy == .medium, !isDocumentSettled else { return }
    try folder.open(name, for: .reading).sync()
    if andName { try folder.sync() }
    isDocumentSettled = true
  }

  /// The size of the journal with one more record.
  func journalSize(adding record: Int, store: String) -> Int {
    let (size, isTooLarge) = record.addingReportingOverflow(
      journal?.size ?? JournalHeader.mostBytes(store: store)
    )
    return isTooLarge ? .max : size + JournalFrame.overhead
  }

  /// Appends a record, making the journal where there is none.
  ///
  /// - Throws: `ReplacementError.unchanged` when the record is in no file that counts;
  ///   `ReplacementError.unknown` when it may be, and then the document must be replaced next.
  mutating func append(
    _ text: [UInt8],
    store: String,
    upTo limit: Int
  ) throws(ReplacementError) {
    if journal == nil {
      do throws(FileError) {
        // The folder is synced when the journal gets its name.
        try settleDocument(andName: false)
      } catch {
        throw .unknown(error)
      }
      do throws(ReplacementError) {
        try makeJournal(store: store, records: [])
      } catch {
        // Whether or not there is a journal now: it has no record, and the next one replaces it.
        throw .unchanged(error.cause)
      }
    }
    do throws(ReplacementError) {
      try journal?.append(text, upTo: limit)
    } catch {
      if case .unknown = error { journal = nil }
      throw error
    }
  }

  /// Puts a journal of the current generation in the place of what is there.
  mutating func makeJournal(store: String, records: [[UInt8]]) throws(ReplacementError) {
    let checksum: UInt32
    do throws(FileError) {
      if let documentChecksum {
        checksum = documentChecksum
      } else {
        checksum = try checksumOfDocument()
      }
    } catch {
      throw .unchanged(error)
    }
    documentChecksum = checksum
    let header = JournalHeader(
      store: store,
      generation: generation,
      documentSize: Int64(documentStatus.size),
      documentChecksum: checksum,
      isSynced: durability == .full
    )
    journal = try Journal.make(
      journalName,
      in: folder,
      header: header,
      records: records,
      policy: filePolicy
    )
  }

  private func checksumOfDocument() throws(FileError) -> UInt32 {
    let file = try folder.open(name, for: .reading)
    var checksum = CRC32C()
    var offset = 0
    while offset < documentStatus.size {
      let count = min(1 << 20, documentStatus.size - offset)
      let bytes = try file.bytes(at: offset, count: count)
      bytes.withUnsafeBytes { checksum.update($0) }
      offset += count
    }
    return checksum.value
  }

  /// Replaces the document by one of the next generation and removes the journal.
  ///
  /// - Parameter write: Writes the document of a generation to a new file.
  /// - Throws: `ReplacementError.unchanged` when the files are as before and can be used
  ///   further, `ReplacementError.unknown` when the document may be the old or the new one; then
  ///   it must be replaced once more before anything else is written.
  mutating func replaceDocument(
    _ write: (File, Int64) throws(FileError) -> UInt32
  ) throws(ReplacementError) {
    let next: NextDocument
    do throws(FileError) {
      next = try documentPlace.write(write)
    } catch {
      throw .unchanged(error)
    }
    try take(next)
  }

  /// Where the next document is to be written.
  var documentPlace: DocumentPlace {
    DocumentPlace(folder: folder, name: name, policy: filePolicy, generation: generation + 1)
  }

  /// Puts a document of the next generation in the place of the current one, and removes the journal.
  ///
  /// - Throws: `ReplacementError.unknown` as ``replaceDocument(_:)`` does.
  mutating func take(_ next: NextDocument) throws(ReplacementError) {
    generation = next.generation
    journal = nil
    do throws(ReplacementError) {
      try folder.commit(next.file)
    } catch {
      possibleDocuments.append(next.status)
      throw error
    }
    documentStatus = next.status
    isDocumentSettled = true
    possibleDocuments = []
    documentChecksum = next.checksum
    // What stays behind when this fails is of an earlier generation: it is passed over, replaced by
    // the next journal, and removed by the next opening.
    try? folder.remove(journalName)
  }
}
