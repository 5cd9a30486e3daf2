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
/// A save that alone would make the journal reach that size is written as a document, without
/// writing it to the journal first: this avoids writing the rows twice.
extension StoreCore {
  /// Returns the size above which the journal is checkpointed.
  private func journalLimit(_ inner: Inner) -> Int {
    journalLimit ?? max(4 << 20, inner.files?.documentStatus.size ?? 0)
  }

  /// Returns the number of bytes that saves may add to the journal before an immediate checkpoint.
  func journalRoom(_ inner: Inner) -> Int {
    let limit = journalLimit(inner)
    let isFoldedAside = (inner.files?.documentStatus.size ?? 0) >= leastAside
    let most = isFoldedAside && limit < Int.max / 2 ? limit * 2 + 1 : limit
    return max(most, inner.foldAbove) - (inner.files?.journal?.size ?? 0)
  }

  /// Rewrites the document if the journal has grown enough.
  func foldIfLarge(_ inner: inout Inner) {
    guard let files = inner.files, let journal = files.journal else { return }
    let limit = journalLimit(inner)
    guard journal.size > max(limit, inner.foldAbove) || valueFiles.shouldBecomeDurable else {
      return
    }
    if files.documentStatus.size >= leastAside, journal.size / 2 <= limit,
      !valueFiles.shouldBecomeDurable
    {
      if !inner.isFoldingAside, journal.size > inner.foldAsideAbove { foldAside(&inner) }
      return
    }
    do throws(ReplacementError) {
      try fold(&inner)
    } catch {
      // The save is in the journal and is valid. The next save is appended there; if the document
      // may be the old or the new one, the next save first replaces it.
      inner.foldAbove = journal.size * 2
    }
  }

  /// Rewrites the document on request of the program.
  func foldOnRequest(_ inner: inout Inner) throws {
    do throws(ReplacementError) {
      try fold(&inner)
    } catch {
      throw StoreErrors.notFolded(error.cause)
    }
  }

  /// Rewrites the document from the rows.
  ///
  /// If the outcome is unknown, the old document with its journal and the new document have the
  /// same content. No save is indeterminate, but the next one must not be written to that journal.
  func fold(_ inner: inout Inner) throws(ReplacementError) {
    do throws(ReplacementError) {
      try replaceDocument(by: inner.state, &inner)
    } catch {
      if case .unknown(let cause) = error, inner.doubt == nil {
        inner.doubt = StoreDoubt(save: nil, cause: cause)
      }
      throw error
    }
    noteFolded(&inner)
  }

  func noteFolded(_ inner: inout Inner) {
    inner.foldAbove = 0
    inner.foldAsideAbove = 0
    valueFiles.noteDurable()
  }

  /// Replaces the document by one with the given rows.
  func replaceDocument(
    by state: StoreState,
    _ inner: inout Inner
  ) throws(ReplacementError) {
    let draft = draft(of: state)
    try inner.files?.replaceDocument { (file, generation) throws(FileError) in
      try draft.write(generation: generation, to: file)
    }
    inner.hasLayout = true
  }
}

extension StoreCore {
  private func foldAside(_ inner: inout Inner) {
    guard let fold = beginFold(&inner) else { return }
    Thread.detachNewThread { [weak self] in
      let document = fold.write()
      guard let self else { return fold.discard(document) }
      finish(fold, document)
    }
  }

  /// Takes the current rows, to be written while saves continue.
  func beginFold(_ inner: inout Inner) -> FoldAside? {
    guard let files = inner.files, let journal = files.journal else { return nil }
    inner.isFoldingAside = true
    return FoldAside(
      draft: draft(of: inner.state),
      place: files.documentPlace,
      records: journal.count
    )
  }

  /// Replaces the document by one that was written in the background, if it contains all saves.
  func finish(_ fold: FoldAside, _ document: NextDocument?) {
    guard process.isCurrent else { return }
    inner.withLock { inner in
      inner.isFoldingAside = false
      guard let files = inner.files, let journal = files.journal, let document,
        inner.doubt == nil, files.documentPlace.generation == document.generation,
        journal.count == fold.records, (try? files.checkFiles()) != nil
      else {
        inner.foldAsideAbove = (inner.files?.journal?.size ?? 0) + journalLimit(inner) / 4
        return fold.discard(document)
      }
      do throws(ReplacementError) {
        try inner.files?.take(document)
        inner.hasLayout = true
        noteFolded(&inner)
      } catch {
        // The document may be the old one with its journal, or the new one: both have the same
        // content.
        inner.doubt = StoreDoubt(save: nil, cause: error.cause)
      }
    }
  }
}
