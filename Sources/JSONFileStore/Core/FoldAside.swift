import StoreFiles

/// A document that is written on a thread of its own while saves go on.
struct FoldAside: Sendable {
  /// The rows as they were when it began.
  let draft: DocumentDraft
  let place: DocumentPlace
  /// How many records the journal had, all of which are in those rows.
  let records: Int

  /// Writes the document; nil where the system refused.
  func write() -> NextDocument? {
    try? place.write { (file, generation) throws(FileError) in
      try draft.write(generation: generation, to: file)
    }
  }

  /// Removes a document that cannot be used.
  func discard(_ document: NextDocument?) {
    if let document { place.discard(document) }
  }
}
