import StoreFiles
import StoreProtocol

/// The files of an open store: the document, the journal and the lock.
///
/// Invariants:
/// 1. A document is always replaced as a whole, by one of the next generation. The journal beside
///    it is valid only if it names the same store and generation. A journal of an earlier
///    generation is already contained in the document.
/// 2. The journal is removed only after the document with its records is on disk.
/// 3. After a call with an unknown outcome, the journal is no longer used: the next call replaces
///    the document by one without a journal.
struct StoreFolder: Sendable {
  let folder: Folder
  let name: String
  let path: String
  let journalName: String
  let durability: StoreCapabilities.Durability
  /// The lock, which is held as long as the store is open.
  let lock: StoreLock?
  /// The document when it was last read or written, with its time.
  var document: FileExtent
  /// The documents that may have replaced it, in replacements that failed.
  private(set) var possibleDocuments: [FileExtent] = []
  /// The checksum of that document, or `nil` if it was not needed yet.
  var documentChecksum: UInt32?
  var generation: Int64
  var journal: Journal?
  /// Whether this open created the document, so that its durability was not promised.
  var isNew = false
  /// Whether the document is as durable as it will ever be.
  private(set) var isDocumentSynced = false

  /// The durability of whole files, which is at least that of their records.
  ///
  /// An existing document may belong to a program whose saves are on disk. Its replacement and its
  /// journal must be on disk too, regardless of this program's configuration.
  var filePolicy: SyncPolicy { durability == .none && isNew ? .system : .disk }

  /// Checks that the files are those that the store opened.
  ///
  /// The lock shows that no other process can have the store open. Once there is a journal, its size
  /// shows what others wrote.
  ///
  /// - Throws: `storeReplaced` if another process wrote, replaced or removed one of them.
  func checkFiles() throws(DataStoreError) {
    let hasDocument, hasOther: Bool
    do throws(FileError) {
      let found = try folder.extent(of: name, byPath: true, withTime: true)
      hasDocument = found == document || found.map(possibleDocuments.contains) == true
      if let journal {
        let found = try folder.extent(of: journalName)
        hasOther = found?.identity == journal.status.identity && found?.size == journal.fileSize
      } else {
        hasOther = try lock?.isInPlace(in: folder) != false
      }
    } catch {
      throw StoreErrors.translated(error)
    }
    guard hasDocument else { throw StoreErrors.replaced(path) }
    guard hasOther else {
      let other = journal == nil ? FileName.lock(of: name) : journalName
      throw StoreErrors.replaced(folder.path(of: other))
    }
  }

  /// Syncs an existing document to disk, because what was read must persist.
  ///
  /// - Parameter andName: Whether to sync its name too, instead of with a later sync of the folder.
  /// - Throws: ``FileError``; the document must then be replaced, because a second sync proves
  ///   nothing.
  mutating func syncDocument(andName: Bool = true) throws(FileError) {
    guard filePolicy == .disk, !isDocumentSynced else { return }
    try folder.open(name, for: .reading).sync()
    if andName { try folder.sync() }
    isDocumentSynced = true
  }

  /// Appends a record, and creates the journal if there is none.
  ///
  /// - Parameters:
  ///   - text: The record.
  ///   - store: The identifier of the store.
  ///   - limit: The size up to which a journal can be opened, and is padded.
  ///   - isSynced: Whether the record is durable afterward, and not only after ``syncJournal()``.
  /// - Returns: Whether the journal has room for the record; if not, nothing is written.
  /// - Throws: `ReplacementError.unchanged` if no valid file contains the record;
  ///   `ReplacementError.unknown` if one may contain it, and then the document must be replaced
  ///   next.
  mutating func append(
    _ text: [UInt8],
    store: String,
    upTo limit: Int,
    isSynced: Bool
  ) throws(ReplacementError) -> Bool {
    let size = journal?.size ?? JournalHeader.mostBytes(store: store)
    guard text.count <= JournalFrame.longestRecord,
      size + text.count + JournalFrame.overhead <= limit
    else { return false }
    if journal == nil {
      do throws(FileError) {
        // The folder is synced when the journal gets its name.
        try syncDocument(andName: false)
      } catch {
        throw .unknown(error)
      }
      do throws(ReplacementError) {
        try makeJournal(store: store, records: [])
      } catch {
        // A journal may exist now: it contains no record, and the next one replaces it.
        throw .unchanged(error.cause)
      }
    }
    do throws(ReplacementError) {
      try journal?.append(text, upTo: limit)
      if isSynced { try journal?.sync() }
    } catch {
      if case .unknown = error { journal = nil }
      throw error
    }
    return true
  }

  /// Makes the records of the journal durable.
  ///
  /// - Throws: `ReplacementError.unknown`; the document must then be replaced next.
  mutating func syncJournal() throws(ReplacementError) {
    do throws(ReplacementError) {
      try journal?.sync()
    } catch {
      journal = nil
      throw error
    }
  }

  /// Replaces the journal by one of the current generation.
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
      documentSize: Int64(document.size),
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
    while offset < document.size {
      let count = min(1 << 20, document.size - offset)
      let bytes = try file.bytes(at: offset, count: count)
      bytes.withUnsafeBytes { checksum.update($0) }
      offset += count
    }
    return checksum.value
  }

  /// Replaces the document by one of the next generation and removes the journal.
  ///
  /// - Throws: `ReplacementError.unchanged` if the files are unchanged and remain usable.
  ///   `ReplacementError.unknown` if the document may be the old or the new one; then it must be
  ///   replaced again before anything else is written.
  mutating func replaceDocument(by draft: DocumentDraft) throws(ReplacementError) {
    let next: NextDocument
    do throws(FileError) {
      next = try documentLocation.write(draft)
    } catch {
      throw .unchanged(error)
    }
    try take(next)
  }

  /// The location of the next document.
  var documentLocation: DocumentLocation {
    DocumentLocation(folder: folder, name: name, policy: filePolicy, generation: generation + 1)
  }

  /// Replaces the document by one of the next generation, and removes the journal.
  ///
  /// - Throws: `ReplacementError.unknown` as ``replaceDocument(by:)`` does.
  mutating func take(_ next: NextDocument) throws(ReplacementError) {
    generation = next.generation
    journal = nil
    do throws(ReplacementError) {
      try folder.commit(next.file)
    } catch {
      possibleDocuments.append(FileExtent(next.file.status))
      throw error
    }
    document = FileExtent(next.file.status)
    isDocumentSynced = true
    possibleDocuments = []
    documentChecksum = next.checksum
    // If this fails, the remaining journal is of an earlier generation: it is ignored, replaced by
    // the next journal, and removed by the next open.
    try? folder.remove(journalName)
  }
}
