import StoreFiles

/// The content of a document, as a value that another thread can use.
struct DocumentDraft: Sendable {
  let state: StoreState
  let store: String
  /// The schema as JSON.
  let schema: [UInt8]
  let layout: JSONFileStoreConfiguration.Layout
  /// The size above which the document could not be opened again.
  var maximumSize = Int.max

  /// Writes the document to a new file.
  ///
  /// - Returns: The checksum of the document.
  /// - Throws: ``FileError``, which is `isTooLarge` for a document above the maximum size.
  func write(generation: Int64, to file: File) throws(FileError) -> UInt32 {
    var writer = DocumentWriter(self, to: file)
    try writer.write(generation: generation)
    return writer.checksum.value
  }
}

extension DocumentDraft {
  /// Creates the content of a document that is written as a configuration requires.
  init(
    _ state: StoreState,
    store: String,
    schema: [UInt8],
    _ configuration: JSONFileStoreConfiguration
  ) {
    self.init(
      state: state,
      store: store,
      schema: schema,
      layout: configuration.layout,
      maximumSize: configuration.maximumDocumentSize
    )
  }
}
