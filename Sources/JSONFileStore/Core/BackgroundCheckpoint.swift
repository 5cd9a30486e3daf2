import StoreFiles

/// A document that is written on its own thread while saves continue: a background checkpoint.
struct BackgroundCheckpoint: Sendable {
  /// The rows at the start of the checkpoint.
  let draft: DocumentDraft
  let location: DocumentLocation
  /// The number of records in the journal, all of which are contained in those rows.
  let records: Int

  /// Writes the document, or returns `nil` if the system fails.
  func write() -> NextDocument? {
    try? location.write(draft)
  }

  /// Removes a document that cannot be used.
  func discard(_ document: NextDocument?) {
    if let document { location.discard(document) }
  }
}
