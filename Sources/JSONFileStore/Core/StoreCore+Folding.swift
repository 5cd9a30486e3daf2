import Foundation
import StoreFiles
import StoreProtocol

/// Bringing the journal into the document.
///
/// Small documents are written at once, by the save that made the journal too large. For large ones
/// that would make one save slow, so that they are written on a thread of their own while saves go on.
/// What is written there takes the document's place only if no save came in between: the journal
/// then has nothing that it lacks, and the files are at any moment what they are with a fold at once.
/// Otherwise it is tried again when the journal has grown by a quarter of its limit, and folded at
/// once when it has reached the double.
///
/// A save that alone would bring the journal to where it is folded at once is written as a document
/// and not to the journal before: rows would be written twice, and the first of both for nothing.
extension StoreCore {
  /// The size above which the journal is folded.
  private func journalLimit(_ inner: Inner) -> Int {
    journalLimit ?? max(4 << 20, inner.files?.documentStatus.size ?? 0)
  }

  /// How many bytes saves may add to the journal before it is folded at once.
  func journalRoom(_ inner: Inner) -> Int {
    let limit = journalLimit(inner)
    let isFoldedAside = (inner.files?.documentStatus.size ?? 0) >= leastAside
    let most = isFoldedAside && limit < Int.max / 2 ? limit * 2 + 1 : limit
    return max(most, inner.foldAbove) - (inner.files?.journal?.size ?? 0)
  }

  /// Writes the document anew when the journal has grown enough.
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
      // The save is in the journal and stands. The next one goes on there, or, where the document
      // may be the old or the new one, first replaces it.
      inner.foldAbove = journal.size * 2
    }
  }

  /// Writes the document anew where the program asked for it.
  func foldOnRequest(_ inner: inout Inner) throws {
    do throws(ReplacementError) {
      try fold(&inner)
    } catch {
      throw StoreErrors.notFolded(error.cause)
    }
  }

  /// Writes the document anew from the rows.
  ///
  /// Where the outcome is unknown the old document with its journal and the new one hold the same:
  /// no save is in doubt, but the next one must not go to that journal.
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

  /// Replaces the document by one of some rows.
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

  /// Takes the rows as they are now, to be written while saves go on.
  func beginFold(_ inner: inout Inner) -> FoldAside? {
    guard let files = inner.files, let journal = files.journal else { return nil }
    inner.isFoldingAside = true
    return FoldAside(
      draft: draft(of: inner.state),
      place: files.documentPlace,
      records: journal.count
    )
  }

  /// Puts a document that was written aside in its place, if it has all that was saved.
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
        // The document may be the old one with its journal, or the new one: both hold the same.
        inner.doubt = StoreDoubt(save: nil, cause: error.cause)
      }
    }
  }
}
