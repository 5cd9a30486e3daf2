import StoreFiles

/// The content of a document, as a value that another thread can use.
struct DocumentDraft: Sendable {
  let state: StoreState
  let store: String
  /// The schema as JSON.
  let schema: [UInt8]
  let layout: JSONFileStoreConfiguration.Layout
  /// The size above which the document could not be opened again.
  let maximumSize: Int

  /// Writes the document to a new file.
  ///
  /// - Returns: The checksum of the document.
  /// - Throws: ``FileError``, which is `isTooLarge` for a document above the maximum size.
  func write(generation: Int64, to file: File) throws(FileError) -> UInt32 {
    var writer = DocumentWriter(to: file, layout: layout, maximumSize: maximumSize)
    let header = DocumentHeader(
      store: store,
      generation: generation,
      nextKey: state.nextKey,
      schema: schema
    )
    try writer.write(header, tables: state.tables, source: state.source, history: state.history)
    return writer.checksum.value
  }
}
