import StoreFiles
import StoreProtocol

extension StoreCore {
  func loadedState() throws -> StoreState {
    var state = try currentState()
    for index in state.tables.indices { try state.load(index, file: path) }
    return state
  }

  /// Replaces the document by one with other rows and another schema, and closes the store.
  ///
  /// - Parameter change: A closure that creates the rows and the schema from the existing ones, and
  ///   makes everything else that they need durable.
  /// - Throws: The errors of `change`; the store then remains open and unchanged. The errors of the
  ///   system.
  func replace(
    _ change: (StoreState) throws -> (state: StoreState, schema: StoreSchema)
  ) throws {
    try inner.withLock { inner in
      guard inner.files != nil else { throw StoreErrors.closed(path) }
      guard allowsSave else { throw StoreErrors.readOnly(path) }
      if inner.unresolvedFailure != nil {
        throw StoreErrors.notBegun(path, cause: StoreErrors.closed(path))
      }
      try inner.files?.checkFiles()
      for index in inner.state.tables.indices { try inner.state.load(index, file: path) }
      let made = try change(inner.state)
      let draft = DocumentDraft(
        state: made.state,
        store: identifier,
        schema: try made.schema.text(),
        layout: layout,
        maximumSize: maximumSize
      )
      do throws(ReplacementError) {
        try inner.files?.replaceDocument { (file, generation) throws(FileError) in
          try draft.write(generation: generation, to: file)
        }
      } catch {
        // The document is the old or the new one, both intact: the next open determines which.
        if case .unknown = error { inner.files = nil }
        throw StoreErrors.translated(error.cause)
      }
      inner.files = nil
    }
  }

  /// Returns the files that rows name.
  static func references(of state: StoreState) -> Set<FileReference> {
    var references: Set<FileReference> = []
    for stored in state.tables {
      for column in stored.table?.columns ?? [] { references.formUnion(column.files.values) }
    }
    return references
  }
}
