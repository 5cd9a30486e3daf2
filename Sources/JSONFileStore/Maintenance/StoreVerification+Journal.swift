import StoreFiles
import StoreProtocol

extension StoreVerification {
  private var journalPath: String { FileName.journal(of: core.path) }

  /// Reads a journal, records its problems, and applies it to the rows of the document.
  ///
  /// - Parameters:
  ///   - journal: The bytes of the journal.
  ///   - document: The bytes of the document.
  ///   - state: The rows of the document, or `nil` if they could not be read completely.
  mutating func inspect(_ journal: [UInt8], _ document: [UInt8], _ state: inout StoreState?) {
    journal.withUnsafeBytes { bytes in
      do {
        let contents = try JournalContents(bytes, file: journalPath)
        guard belongs(contents.header, to: document) else { return }
        if moment.endsWhole, !contents.endsWhole {
          note(StoreProblem("the record at byte \(contents.end) is incomplete", file: journalPath))
        }
        if problems.isEmpty { try replay(contents, bytes, &state) }
      } catch {
        note(error, file: journalPath)
      }
    }
  }

  /// Returns whether a journal has changes of this document, and records a problem if it has
  /// changes of another one.
  private mutating func belongs(_ header: JournalHeader, to document: [UInt8]) -> Bool {
    let isCurrent = header.generation == moment.generation
    var reason = header.objection(store: core.identifier, generation: moment.generation)
    if reason == nil, isCurrent, !header.isWritten(for: document) {
      reason = "the journal belongs to a different version of the document"
    }
    if let reason { note(StoreProblem(reason, file: journalPath)) }
    return isCurrent && reason == nil
  }

  private mutating func replay(
    _ contents: JournalContents,
    _ bytes: UnsafeRawBufferPointer,
    _ state: inout StoreState?
  ) throws {
    guard var rows = state else { return }
    state = nil
    var replay = JournalReplay(map: core.map, document: core.path)
    do {
      for record in contents.records { try replay.apply(bytes, record, to: &rows) }
    } catch let error as JSONError {
      throw DocumentFormat.damaged(journalPath, error)
    }
    replay.finish(&rows)
    state = rows
  }
}
