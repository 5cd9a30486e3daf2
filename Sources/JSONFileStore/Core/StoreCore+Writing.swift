import Foundation
import StoreFiles
import StoreProtocol

/// How a save reaches the files.
extension StoreCore {
  /// Runs a save with the files of large values that it writes and leaves.
  func withFiles(_ body: (ValueFileBatch) throws -> Written) throws {
    let files = ValueFileBatch(valueFiles, threshold: externalThreshold)
    let written: Written
    do {
      written = try body(files)
    } catch {
      files.rollBack(after: error)
      throw error
    }
    // Until then a loss of power may bring back rows that name the files.
    files.commit(isDurable: durability == .full || written == .document)
  }

  /// What a save went to.
  enum Written {
    case journal, document
  }

  /// Writes a save, to the journal or as a document, and then changes the rows.
  ///
  /// - Parameters:
  ///   - record: What the journal has of the save.
  ///   - save: The identifier of the save.
  ///   - inner: The state and the files.
  ///   - foldsAtOnce: Whether the journal would be folded behind the record: then the document is
  ///     written with the save in it, and the journal takes it only where that was refused.
  ///   - change: Does to the rows what the save says.
  /// - Returns: What the save went to.
  /// - Throws: `notSaved` when the save counts nowhere, now and after a kill or a loss of power;
  ///   `outcomeUnknown` when that could not be brought about. No row is changed then.
  @discardableResult
  func write(
    _ record: () -> [UInt8],
    of save: UUID,
    _ inner: inout Inner,
    foldsAtOnce: Bool = false,
    _ change: (inout StoreState) -> Void
  ) throws -> Written {
    if foldsAtOnce || !usesJournal,
      try writeDocument(of: save, &inner, orRefuses: usesJournal, change)
    {
      return .document
    }
    let record = record()
    guard journalTakes(record, inner) else {
      _ = try writeDocument(of: save, &inner, orRefuses: false, change)
      return .document
    }
    try perform(save, &inner) { (inner) throws(ReplacementError) in
      try inner.files?.append(record, store: identifier, upTo: maximumSize)
    }
    change(&inner.state)
    return .journal
  }

  /// Whether the journal can still be opened with one more record.
  private func journalTakes(_ record: [UInt8], _ inner: Inner) -> Bool {
    guard record.count <= JournalFrame.longestRecord, let files = inner.files else { return false }
    return files.journalSize(adding: record.count, store: identifier) <= maximumSize
  }

  /// Puts a document with a save in it in the place of the document and its journal.
  ///
  /// Returns false where the system refused and the journal can have the save instead (`orRefuses`).
  private func writeDocument(
    of save: UUID,
    _ inner: inout Inner,
    orRefuses: Bool,
    _ change: (inout StoreState) -> Void
  ) throws -> Bool {
    var state = inner.state
    change(&state)
    var isRefused = false
    try perform(save, &inner) { (inner) throws(ReplacementError) in
      do throws(ReplacementError) {
        try replaceDocument(by: state, &inner)
      } catch {
        guard orRefuses, case .unchanged = error else { throw error }
        isRefused = true
      }
    }
    guard !isRefused else { return false }
    inner.state = state
    noteFolded(&inner)
    return true
  }

  /// Takes the step that makes a save count.
  private func perform(
    _ save: UUID,
    _ inner: inout Inner,
    _ step: (inout Inner) throws(ReplacementError) -> Void
  ) throws {
    do throws(ReplacementError) {
      try step(&inner)
    } catch {
      if case .unknown(let cause) = error {
        inner.doubt = StoreDoubt(save: save, cause: cause)
        try settle(&inner)
      }
      throw StoreErrors.notSaved(error.cause)
    }
  }

  /// Makes certain what the files hold, where a failure has left that open.
  ///
  /// The descriptors of the failure are not used again: what could not be written is dropped by the
  /// system, and a second sync would succeed without it (RELIABILITY.md, finding 5).
  ///
  /// - Throws: `outcomeUnknown` when the system refuses; `notSaved` before a save which is not the
  ///   one in doubt.
  func settle(_ inner: inout Inner, before save: UUID? = nil) throws {
    guard let doubt = inner.doubt else { return }
    do {
      guard let files = inner.files else { throw StoreErrors.closed(path) }
      try files.checkFiles()
      try fold(&inner)
    } catch {
      let isOther = save.map { $0 != doubt.save } ?? (doubt.save == nil)
      guard isOther else { throw StoreErrors.unknown(path, cause: error) }
      throw StoreErrors.notBegun(path, cause: error)
    }
    inner.doubt = nil
    guard let refused = doubt.save else { return }
    inner.refused = inner.refused.suffix(StoreDoubt.mostRemembered - 1) + [refused]
  }
}
