import Foundation
import StoreFiles
import StoreProtocol

/// Checkpoints of the journal into the document.
///
/// Small documents are written immediately, by the save that made the journal too large. For large
/// documents this would make one save slow, so they are written on their own thread while saves
/// continue. Such a document replaces the current one only if no save occurred meanwhile. Then it
/// contains everything in the journal, and at any moment the files are the same as with an
/// immediate checkpoint. Otherwise the checkpoint is retried when the journal has grown by a
/// quarter of its limit. When the journal has reached twice its limit, an immediate checkpoint
/// follows.
///
/// A save of many rows that alone would make the journal reach that size is written as a document,
/// without writing it to the journal first: this avoids writing the rows twice.
extension StoreCore {
  /// Returns the size above which the journal beside a document is checkpointed.
  static func journalLimit(
    _ configuration: JSONFileStoreConfiguration,
    beside document: FileExtent
  ) -> Int {
    configuration.journalLimit ?? max(4 << 20, document.size)
  }

  /// Returns the size above which the journal is checkpointed immediately, also beside a large
  /// document.
  private func immediateLimit(_ document: FileExtent) -> Int {
    let limit = Self.journalLimit(configuration, beside: document)
    let isInBackground = document.size >= configuration.backgroundCheckpointSize
    return isInBackground && limit < Int.max / 2 ? limit * 2 + 1 : limit
  }

  /// Returns the number of bytes that saves may add to the journal before an immediate checkpoint.
  func journalRoom(_ inner: Inner) -> Int {
    guard let files = inner.files else { return 0 }
    return max(immediateLimit(files.document), inner.checkpointAbove) - (files.journal?.size ?? 0)
  }

  /// Rewrites the document, whose journal has grown enough, or begins to in the background.
  func checkpointLargeJournal(_ inner: inout Inner) {
    guard let files = inner.files, let journal = files.journal else { return }
    if files.document.size >= configuration.backgroundCheckpointSize,
      journal.size <= immediateLimit(files.document), rowFiles?.shouldBecomeDurable != true
    {
      if !inner.isCheckpointingInBackground { checkpointInBackground(&inner) }
      return
    }
    do throws(ReplacementError) {
      try checkpoint(&inner)
    } catch {
      // The save is in the journal and is valid. The next save is appended there; if the document
      // may be the old or the new one, the next save first replaces it.
      inner.checkpointAbove = journal.size * 2
    }
  }

  /// Rewrites the document on request of the program.
  func checkpointOnRequest(_ inner: inout Inner) throws {
    do throws(ReplacementError) {
      try checkpoint(&inner)
    } catch {
      throw StoreErrors.notCheckpointed(error.cause)
    }
  }

  /// Rewrites the document from the rows.
  ///
  /// If the outcome is unknown, the old document with its journal and the new document have the
  /// same content. No save is indeterminate, but the next one must not be written to that journal.
  func checkpoint(_ inner: inout Inner) throws(ReplacementError) {
    do throws(ReplacementError) {
      try replaceDocument(by: inner.state, &inner)
    } catch {
      if case .unknown = error, inner.unresolvedFailure == nil {
        inner.unresolvedFailure = UnresolvedFailure(save: nil)
      }
      throw error
    }
    noteCheckpoint(&inner)
  }

  func noteCheckpoint(_ inner: inout Inner) {
    if let document = inner.files?.document {
      inner.checkpointAbove = Self.journalLimit(configuration, beside: document)
    }
    valueFiles.noteDurable()
  }

  /// Replaces the document by one with the given rows.
  func replaceDocument(
    by state: StoreState,
    _ inner: inout Inner
  ) throws(ReplacementError) {
    try inner.files?.replaceDocument(by: draft(of: state))
    inner.hasLayout = true
  }
}

extension StoreCore {
  private func checkpointInBackground(_ inner: inout Inner) {
    guard let checkpoint = beginCheckpoint(&inner) else { return }
    Thread.detachNewThread { [weak self] in
      let document = checkpoint.write()
      guard let self else { return checkpoint.discard(document) }
      finish(checkpoint, document)
    }
  }

  /// Takes the current rows, to be written while saves continue.
  func beginCheckpoint(_ inner: inout Inner) -> BackgroundCheckpoint? {
    guard let files = inner.files, let journal = files.journal else { return nil }
    inner.isCheckpointingInBackground = true
    inner.checkpointAbove = max(inner.checkpointAbove, immediateLimit(files.document))
    return BackgroundCheckpoint(
      draft: draft(of: inner.state),
      location: files.documentLocation,
      records: journal.count
    )
  }

  /// Replaces the document by one that was written in the background, if it contains all saves.
  func finish(_ checkpoint: BackgroundCheckpoint, _ document: NextDocument?) {
    guard process.isCurrent else { return }
    inner.withLock { inner in
      inner.isCheckpointingInBackground = false
      guard let files = inner.files, let journal = files.journal, let document,
        inner.unresolvedFailure == nil, files.documentLocation.generation == document.generation,
        journal.count == checkpoint.records, (try? files.checkFiles()) != nil
      else {
        postponeCheckpoint(&inner)
        return checkpoint.discard(document)
      }
      do throws(ReplacementError) {
        try inner.files?.take(document)
        inner.hasLayout = true
        noteCheckpoint(&inner)
      } catch {
        // The document may be the old one with its journal, or the new one: both have the same
        // content.
        inner.unresolvedFailure = UnresolvedFailure(save: nil)
      }
    }
  }

  /// Sets the size of the journal above which a background checkpoint is retried.
  private func postponeCheckpoint(_ inner: inout Inner) {
    guard let files = inner.files else { return }
    let (limit, most) = (
      Self.journalLimit(configuration, beside: files.document), immediateLimit(files.document)
    )
    // After a failed checkpoint, the size is greater.
    guard inner.checkpointAbove <= most else { return }
    inner.checkpointAbove = min(max(limit, (files.journal?.size ?? 0) + limit / 4), most)
  }
}
