import StoreFiles
import StoreProtocol

/// The changes that an existing journal adds to its document when a store is opened.
struct JournalRecovery {
  /// The texts of the records that the document does not contain yet.
  let records: [[UInt8]]
  private let bytes: [UInt8]
  private let ranges: [Range<Int>]
  private let file: String

  /// Parses a journal and checks whether it belongs to the document.
  ///
  /// - Throws: `storeDamaged` for a journal of another store or of a later document, or if its
  ///   document was changed, and the errors of reading the journal.
  init(_ bytes: [UInt8], file: String, for opened: OpenedStore, document: [UInt8]) throws {
    self.bytes = bytes
    self.file = file
    let contents = try bytes.withUnsafeBytes { try JournalContents($0, file: file) }
    let header = contents.header
    let generation = opened.files.generation
    if let reason = header.objection(store: opened.identifier, generation: generation) {
      throw Self.foreignJournal(reason, file)
    }
    guard header.generation == generation, !contents.records.isEmpty else {
      (records, ranges) = ([], [])
      return
    }
    guard header.isWritten(for: document) else {
      throw Self.foreignJournal(
        "the document was changed while its journal had changes that are not in it yet",
        file
      )
    }
    ranges = contents.records
    records = contents.records.map { Array(bytes[$0]) }
  }

  private static func foreignJournal(_ reason: String, _ file: String) -> DataStoreError {
    DataStoreError(
      .storeDamaged,
      "\(reason); neither file was changed: restore the right journal, or move this one away to open "
        + "the document without it",
      file: file
    )
  }

  /// Applies the records again.
  func replay(into state: inout StoreState, map: TableMap, document: String) throws {
    var replay = JournalReplay(map: map, document: document)
    try bytes.withUnsafeBytes { bytes in
      for range in ranges {
        do {
          try replay.apply(bytes, range, to: &state)
        } catch let error as JSONError {
          throw DocumentFormat.damaged(file, error)
        }
      }
    }
    replay.finish(&state)
  }
}
